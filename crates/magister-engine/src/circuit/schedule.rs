//! The execution order of gates, and the rows of their wires.

use std::collections::VecDeque;

use magister_lanes::{Gate, Operation};

/// Orders the gates of a section so that runs of one operation are long, because each end of a run
/// is a branch misprediction. A run continues while its operation has gates whose inputs are ready;
/// the next run is that of the operation with the most ready gates.
pub(crate) fn in_runs(gates: &[Gate], wires: usize) -> Vec<Gate> {
    const KINDS: usize = Operation::ALL.len();
    let kind = |operation| Operation::ALL.iter().position(|&o| o == operation).unwrap_or(0);
    let mut maker = vec![u32::MAX; wires];
    for (at, gate) in gates.iter().enumerate() {
        maker[gate.out as usize] = at as u32;
    }
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); gates.len()];
    let mut open = vec![0u8; gates.len()];
    let mut ready: [VecDeque<u32>; KINDS] = Default::default();
    for (at, gate) in gates.iter().enumerate() {
        let mut inputs = [gate.a, gate.b, gate.c];
        inputs.sort_unstable();
        for (place, &input) in inputs.iter().enumerate() {
            let needed = maker[input as usize];
            if needed != u32::MAX && (place == 0 || inputs[place - 1] != input) {
                users[needed as usize].push(at as u32);
                open[at] += 1;
            }
        }
        if open[at] == 0 {
            ready[kind(gate.operation)].push_back(at as u32);
        }
    }
    let mut order = Vec::with_capacity(gates.len());
    while let Some(best) =
        (0..KINDS).max_by_key(|&kind| ready[kind].len()).filter(|&kind| !ready[kind].is_empty())
    {
        while let Some(at) = ready[best].pop_front() {
            order.push(gates[at as usize]);
            for &user in &users[at as usize] {
                open[user as usize] -= 1;
                if open[user as usize] == 0 {
                    ready[kind(gates[user as usize].operation)].push_back(user);
                }
            }
        }
    }
    order
}

/// For each section, the wires that others read or that are kept.
pub(crate) fn wanted(sections: &[Vec<Gate>], wires: usize, kept: &[u32]) -> Vec<Vec<bool>> {
    let mut wanted = vec![vec![false; wires]; sections.len()];
    for (at, wanted) in wanted.iter_mut().enumerate() {
        let mut made = vec![false; wires];
        sections[at].iter().for_each(|gate| made[gate.out as usize] = true);
        let others = sections.iter().enumerate().filter(|&(other, _)| other != at);
        let read = others.flat_map(|(_, gates)| gates.iter().flat_map(Gate::inputs));
        for wire in read.chain(kept.iter().copied()) {
            wanted[wire as usize] = made[wire as usize];
        }
    }
    wanted
}

/// Orders the gates of a section so that results are used soon: depth first from the outputs, the
/// inputs that need the most registers first. Gates that nothing needs are omitted.
pub(crate) fn depth_first(gates: &[Gate], wires: usize, wanted: &[bool]) -> Vec<Gate> {
    let mut maker = vec![u32::MAX; wires];
    let mut need = vec![0u32; wires];
    for (at, gate) in gates.iter().enumerate() {
        maker[gate.out as usize] = at as u32;
        let mut needs: Vec<u32> = gate.inputs().map(|wire| need[wire as usize]).collect();
        needs.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        let most = needs.iter().enumerate().map(|(before, n)| n + before as u32).max();
        need[gate.out as usize] = most.unwrap_or(0).max(1);
    }
    let mut order = Vec::with_capacity(gates.len());
    let mut done = vec![false; gates.len()];
    // Gates to visit, and whether their inputs have been visited.
    let mut stack: Vec<(u32, bool)> = Vec::new();
    for (root, gate) in gates.iter().enumerate() {
        if wanted[gate.out as usize] {
            stack.push((root as u32, false));
        }
        while let Some((at, ready)) = stack.pop() {
            let gate = &gates[at as usize];
            if ready {
                order.push(*gate);
                continue;
            }
            if std::mem::replace(&mut done[at as usize], true) {
                continue;
            }
            stack.push((at, true));
            let mut inputs: Vec<u32> = gate.inputs().collect();
            inputs.sort_by_key(|&wire| need[wire as usize]);
            let makers = inputs.iter().map(|&wire| maker[wire as usize]);
            stack.extend(makers.filter(|&m| m != u32::MAX).map(|maker| (maker, false)));
        }
    }
    order
}

/// Writes the next values of the fluents (the wires `after`) to the wires of the fluents
/// themselves, which follow wire 0: at once if the old value is no longer read, otherwise as soon
/// as possible.
pub(crate) fn in_place(gates: &[Gate], wires: usize, after: &[u32]) -> Vec<Gate> {
    let mut fluent = vec![0u32; wires];
    (1..).zip(after).for_each(|(at, &wire)| fluent[wire as usize] = at);
    let mut readers = vec![0u32; after.len() + 1];
    let count = |gate: &Gate| gate.inputs().filter(|&wire| wire as usize <= after.len());
    gates.iter().flat_map(count).for_each(|wire| readers[wire as usize] += 1);
    let mut waiting = vec![false; after.len() + 1];
    let mut order = Vec::with_capacity(gates.len() + after.len());
    for gate in gates {
        let mut gate = *gate;
        count(&gate).for_each(|wire| readers[wire as usize] -= 1);
        let to = fluent[gate.out as usize];
        if to != 0 && readers[to as usize] == 0 {
            gate.out = to;
        } else {
            waiting[to as usize] = true;
        }
        order.push(gate);
        for wire in count(&gate) {
            if wire != 0
                && readers[wire as usize] == 0
                && std::mem::take(&mut waiting[wire as usize])
            {
                let from = after[wire as usize - 1];
                order.push(Gate {
                    operation: Operation::And,
                    a: from,
                    b: from,
                    c: from,
                    out: wire,
                });
            }
        }
    }
    order
}

/// Assigns rows to wires. Sections run in order, and some may be skipped. Wires below `inputs` and
/// those in `outside`, which are written from outside, have their own rows and keep their order;
/// those in `kept` keep their row once they have it. The others share rows; a row becomes free
/// after its last reader. Returns the row of each wire and the number of rows.
pub(crate) fn rows(
    sections: &mut [Vec<Gate>],
    wires: usize,
    inputs: u32,
    kept: &[u32],
    outside: &[u32],
) -> (Vec<u32>, usize) {
    let mut last = vec![0usize; wires];
    let mut time = 0;
    for section in sections.iter() {
        for gate in section {
            time += 1;
            for input in gate.inputs() {
                last[input as usize] = time;
            }
        }
    }
    for &wire in kept {
        last[wire as usize] = usize::MAX;
    }
    let mut row: Vec<u32> = (0..wires as u32).collect();
    row[inputs as usize..].fill(u32::MAX);
    let mut count = inputs;
    for &wire in outside {
        row[wire as usize] = count;
        count += 1;
    }
    let mut free: Vec<u32> = Vec::new();
    time = 0;
    for section in sections.iter_mut() {
        for gate in section.iter_mut() {
            time += 1;
            let mut ended: Vec<u32> = gate
                .inputs()
                .filter(|&wire| wire >= inputs && last[wire as usize] == time)
                .collect();
            ended.sort_unstable();
            ended.dedup();
            // Ignored inputs may have any row.
            let read: Vec<u32> = gate.inputs().map(|wire| row[wire as usize]).collect();
            let at = |port: usize| read.get(port).or(read.first()).copied().unwrap_or(0);
            (gate.a, gate.b, gate.c) = (at(0), at(1), at(2));
            free.extend(ended.iter().map(|&wire| row[wire as usize]));
            if row[gate.out as usize] == u32::MAX {
                let place = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
                row[gate.out as usize] = place;
                // There are no readers, which happens only for kept wires.
                if last[gate.out as usize] == 0 {
                    free.push(place);
                }
            }
            gate.out = row[gate.out as usize];
        }
    }
    (row, count as usize)
}
