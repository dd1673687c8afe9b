//! Boards as SVG, for pages without the client.

use std::fmt::Write as _;

use crate::drawing::{BoardNames, Edge, Shape};
use crate::pieces::Piece;
use crate::scene::Scene;
use crate::words::escape;

/// The width of a cell.
const CELL: f32 = 48.0;
/// The space between boards and around them.
const GAP: f32 = 24.0;

/// A board with the positions of its cells, in percent of the picture.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    /// The picture.
    pub(crate) svg: String,
    /// Left, top, width and height of each cell, in percent.
    pub(crate) places: Vec<[f32; 4]>,
    /// The width of the picture in pixels.
    pub(crate) width: f32,
}

/// Colours of sides without a colour in their names.
const SIDES: [&str; 6] = ["#2563a8", "#c05621", "#2f7d4f", "#8a3ea8", "#b8860b", "#555555"];

fn colour(piece: &Piece) -> &'static str {
    match (piece.colour, piece.side) {
        (Some("white"), _) => "#fdfdf8",
        (Some("black"), _) => "#222222",
        (Some("red"), _) => "#c0392b",
        (Some("blue"), _) => "#2563a8",
        (Some("green"), _) => "#2f7d4f",
        (Some("yellow"), _) => "#e0b000",
        (Some("orange"), _) => "#d9731a",
        (Some("purple"), _) => "#7d3c98",
        (Some("pink"), _) => "#d76ba0",
        (Some("brown"), _) => "#7a4a21",
        (Some("grey"), _) => "#888888",
        (Some("teal"), _) => "#128080",
        (_, Some(side)) => SIDES[side % SIDES.len()],
        _ => "#444444",
    }
}

/// Draws a position. The values come from the shape and the scene.
pub(crate) fn board(shape: &Shape, scene: &Scene) -> Board {
    let mut origins = Vec::new();
    let (mut x, mut height) = (GAP, 0.0_f32);
    let (mut top, mut width) = (GAP, 0.0_f32);
    let mut row = 0;
    for (number, panel) in shape.panels.iter().enumerate() {
        let own = || shape.cells.iter().filter(|cell| cell.board == number);
        let right = own().map(|cell| cell.x).fold(0.0, f32::max) + 1.0;
        let bottom = own().map(|cell| cell.y).fold(0.0, f32::max) + 1.0;
        if panel.row != row || (x > GAP && x + right * CELL > 900.0) {
            row = panel.row;
            (x, top, height) = (GAP, top + height + GAP, 0.0);
        }
        origins.push((x, top));
        x += right * CELL + GAP;
        width = width.max(x);
        height = height.max(bottom * CELL + GAP);
    }
    let total = top + height;
    let place = |cell: usize| {
        let one = &shape.cells[cell];
        let (left, top) = origins.get(one.board).copied().unwrap_or_default();
        let hexagons = shape.panels.get(one.board).is_some_and(|panel| panel.layout == "hexagons");
        // Rows of hexagons interlock.
        let down = if hexagons { 0.866 } else { 1.0 };
        (left + one.x * CELL, top + one.y * CELL * down)
    };
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg viewBox=\"0 0 {width} {total}\" role=\"img\" aria-label=\"the board\" \
         xmlns=\"http://www.w3.org/2000/svg\">"
    );
    for (number, panel) in shape.panels.iter().enumerate() {
        let (left, top) = origins[number];
        if !panel.title.is_empty() {
            let title = escape(&panel.title);
            let _ = write!(
                svg,
                "<text x=\"{left}\" y=\"{}\" font-size=\"13\">{title}</text>",
                top - 6.0
            );
        }
    }
    for (number, panel) in shape.panels.iter().enumerate().filter(|one| one.1.layout == "grid") {
        axes(&mut svg, shape, number, panel, origins[number]);
    }
    for [from, to] in &shape.lines {
        let (start, end) = (place(*from), place(*to));
        let half = CELL / 2.0;
        let _ = write!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#888\" stroke-width=\"2\"/>",
            start.0 + half,
            start.1 + half,
            end.0 + half,
            end.1 + half
        );
    }
    let marked: Vec<usize> =
        scene.last.iter().flat_map(|made| [made.line.from, made.line.to]).flatten().collect();
    let cells = scene.cells.as_deref().unwrap_or_default();
    for (number, cell) in shape.cells.iter().enumerate() {
        let (left, top) = place(number);
        let value = cells.get(number).copied().flatten();
        let unknown = cells.get(number).is_none_or(Option::is_none);
        let layout = shape.panels.get(cell.board).map_or("grid", |panel| panel.layout);
        let dark = layout == "grid" && ((cell.x + cell.y) as i32) % 2 == 1;
        let fill = match (marked.contains(&number), unknown, dark) {
            (true, ..) => "#f2e08a",
            (_, true, _) => "#b9b9b9",
            (_, _, true) => "#dcd3c0",
            _ => "#efe9dc",
        };
        ground(&mut svg, layout, (left, top), fill);
        let name = value.and_then(|value| shape.values.get(usize::from(value)));
        let later = value.and_then(|value| scene.values.get(&value));
        let piece = match (name, later) {
            _ if value == Some(0) => None,
            (Some(name), _) => shape.pieces.get(name),
            (None, Some(later)) => Some(&later.piece),
            _ => None,
        };
        if let Some(piece) = piece {
            draw(&mut svg, piece, (left + CELL / 2.0, top + CELL / 2.0));
        } else if unknown {
            text(&mut svg, "?", (left + CELL / 2.0, top + CELL / 2.0), "#555");
        } else if layout != "grid" {
            small(&mut svg, &cell.name, (left + CELL / 2.0, top + CELL / 2.0));
        }
        svg.push_str("</g>");
    }
    for edge in &shape.edges {
        let (left, top) = place(edge.cell);
        border(&mut svg, edge, (left, top));
    }
    svg.push_str("</svg>");
    let places = (0..shape.cells.len()).map(|cell| {
        let (left, top) = place(cell);
        let percent = |part: f32, whole: f32| 100.0 * part / whole.max(1.0);
        [percent(left, width), percent(top, total), percent(CELL, width), percent(CELL, total)]
    });
    Board { places: places.collect(), svg, width }
}

/// The names of the rows and columns of a grid.
fn axes(
    svg: &mut String,
    shape: &Shape,
    number: usize,
    panel: &BoardNames,
    (left, top): (f32, f32),
) {
    let own = shape.cells.iter().filter(|cell| cell.board == number);
    let bottom = top + (own.map(|cell| cell.y).fold(0.0, f32::max) + 1.0) * CELL;
    for (at, name) in panel.columns.iter().enumerate() {
        small(svg, name, (left + (at as f32 + 0.5) * CELL, bottom + 12.0));
    }
    for (at, name) in panel.rows.iter().enumerate() {
        small(svg, name, (left - 11.0, top + (at as f32 + 0.5) * CELL));
    }
}

/// A name in small letters.
fn small(svg: &mut String, label: &str, (x, y): (f32, f32)) {
    if label.is_empty() {
        return;
    }
    let size = (CELL * 0.3).min(CELL * 1.3 / label.chars().count() as f32);
    let label = escape(label);
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{}\" font-size=\"{size:.1}\" text-anchor=\"middle\" fill=\"#666\">{label}</text>",
        y + size * 0.35
    );
}

/// A wall or a sign at a side of a cell.
fn border(svg: &mut String, edge: &Edge, (left, top): (f32, f32)) {
    let (right, bottom) = (left + CELL, top + CELL);
    let (start, end) = match edge.side {
        "top" => ((left, top), (right, top)),
        "right" => ((right, top), (right, bottom)),
        "bottom" => ((left, bottom), (right, bottom)),
        _ => ((left, top), (left, bottom)),
    };
    let _ = match edge.sign {
        Some(sign) => {
            let middle = (f32::midpoint(start.0, end.0), f32::midpoint(start.1, end.1));
            text(svg, &sign.to_string(), middle, "#7a1f1f");
            Ok(())
        }
        None => write!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#5a3a1a\" stroke-width=\"5\" \
             stroke-linecap=\"round\"/>",
            start.0, start.1, end.0, end.1
        ),
    };
}

/// Draws the cell itself.
fn ground(svg: &mut String, layout: &str, (left, top): (f32, f32), fill: &str) {
    let middle = (left + CELL / 2.0, top + CELL / 2.0);
    let _ = match layout {
        "graph" => write!(
            svg,
            "<g><circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" stroke=\"#777\"/>",
            middle.0,
            middle.1,
            CELL * 0.36
        ),
        "hexagons" => {
            let corners: Vec<String> = (0..6)
                .map(|corner| {
                    let angle =
                        std::f32::consts::PI / 3.0 * corner as f32 + std::f32::consts::PI / 6.0;
                    let radius = CELL * 0.577;
                    format!(
                        "{:.1},{:.1}",
                        middle.0 + radius * angle.cos(),
                        middle.1 + radius * angle.sin()
                    )
                })
                .collect();
            let points = corners.join(" ");
            write!(svg, "<g><polygon points=\"{points}\" fill=\"{fill}\" stroke=\"#777\"/>")
        }
        _ => write!(
            svg,
            "<g><rect x=\"{left}\" y=\"{top}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" \
             stroke=\"#999\"/>"
        ),
    };
}

fn text(svg: &mut String, label: &str, (x, y): (f32, f32), fill: &str) {
    let length = label.chars().count().max(1) as f32;
    let size = (CELL * 0.5).min(CELL * 1.5 / length);
    let label = escape(label);
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{}\" font-size=\"{size:.1}\" text-anchor=\"middle\" fill=\"{fill}\">{label}</text>",
        y + size * 0.35
    );
}

/// Draws the piece on a cell.
fn draw(svg: &mut String, piece: &Piece, at: (f32, f32)) {
    let (x, y) = at;
    let fill = colour(piece);
    let edge = if fill == "#222222" { "#888" } else { "#222" };
    let r = CELL * 0.36;
    let glyph = match piece.shape {
        "king" => Some("♚"),
        "queen" => Some("♛"),
        "rook" => Some("♜"),
        "bishop" => Some("♝"),
        "knight" => Some("♞"),
        "pawn" => Some("♟"),
        _ => None,
    };
    let _ = match piece.shape {
        _ if glyph.is_some() => write!(
            svg,
            "<text x=\"{x}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\" fill=\"{fill}\" \
             stroke=\"{edge}\" stroke-width=\"1\">{}</text>",
            y + CELL * 0.28,
            CELL * 0.8,
            glyph.unwrap_or_default()
        ),
        "disc" | "stone" | "peg" | "person" | "light" => write!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"2\"/>"
        ),
        "cross" | "hit" => write!(
            svg,
            "<path d=\"M{} {}L{} {}M{} {}L{} {}\" stroke=\"{fill}\" stroke-width=\"6\"/>",
            x - r,
            y - r,
            x + r,
            y + r,
            x - r,
            y + r,
            x + r,
            y - r
        ),
        "nought" | "target" | "splash" => write!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"none\" stroke=\"{fill}\" stroke-width=\"6\"/>"
        ),
        "wall" | "box" | "ship" => write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#222\"/>",
            x - r,
            y - r,
            2.0 * r,
            2.0 * r,
            if piece.shape == "wall" { "#555" } else { "#b07d48" }
        ),
        "card" => write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" stroke=\"#222\"/>",
            x - r * 0.8,
            y - r * 1.1,
            r * 1.6,
            r * 2.2
        ),
        _ => Ok(()),
    };
    let labelled = !matches!(
        piece.shape,
        "king"
            | "queen"
            | "rook"
            | "bishop"
            | "knight"
            | "pawn"
            | "disc"
            | "stone"
            | "peg"
            | "light"
            | "cross"
            | "hit"
            | "nought"
            | "target"
            | "splash"
            | "wall"
            | "box"
            | "ship"
    );
    if labelled {
        let red = piece.shape == "card" && piece.label.contains(['♥', '♦']);
        let ink = match piece.shape {
            "card" if red => "#c0392b",
            "person" => "#fff",
            shape if shape != "card" && piece.side.is_some() => fill,
            _ => "#222",
        };
        text(svg, &piece.label, at, ink);
    }
}
