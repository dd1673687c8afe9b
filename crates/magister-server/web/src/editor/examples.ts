// Small complete games to begin with. Our own.

export const race = `; Race to ten: two players add 1 or 2 in turn. The player who reaches ten wins.

(role left)
(role right)

(base (total 0))
(<= (base (total ?n)) (succ ?m ?n))
(base (control left))
(base (control right))
(<= (input ?r (add 1)) (role ?r))
(<= (input ?r (add 2)) (role ?r))
(<= (input ?r noop) (role ?r))

(init (total 0))
(init (control left))

; The role in control adds; the other waits.
(<= (legal ?r (add ?k)) (true (control ?r)) (true (total ?n)) (sum ?n ?k ?m))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))

(<= (next (total ?m)) (does ?r (add ?k)) (true (total ?n)) (sum ?n ?k ?m))
(<= (next (control right)) (true (control left)))
(<= (next (control left)) (true (control right)))

(<= terminal (true (total 10)))

; The player who made the last move is no longer in control.
(<= (goal ?r 100) (true (total 10)) (role ?r) (not (true (control ?r))))
(<= (goal ?r 0) (true (total 10)) (true (control ?r)))

(<= (sum ?n 1 ?m) (succ ?n ?m))
(<= (sum ?n 2 ?m) (succ ?n ?k) (succ ?k ?m))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
`;
