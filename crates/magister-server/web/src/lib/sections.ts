// All pages by purpose: for the menu and the foot of the page.

export const sections = [
  {
    name: "Play",
    pages: [
      { href: "/games", text: "Games" },
      { href: "/puzzles", text: "Puzzles" },
      { href: "/play/connect-four", text: "Play Connect Four" },
    ],
  },
  {
    name: "Watch",
    pages: [
      { href: "/matches", text: "Matches" },
      { href: "/leaderboard", text: "Leaderboard" },
      { href: "/tournaments", text: "Tournaments" },
    ],
  },
  {
    name: "Create",
    pages: [
      { href: "/check", text: "Rule checker" },
      { href: "/analysis/tictactoe", text: "Analysis" },
      { href: "/style/tictactoe", text: "Style checker" },
      { href: "/metagame/tictactoe", text: "Metagamers" },
    ],
  },
  {
    name: "Run",
    pages: [
      { href: "/manager", text: "Manager" },
      { href: "/players", text: "Players" },
      { href: "/student", text: "Students' players" },
      { href: "/training", text: "Training" },
      { href: "/admin", text: "Administration" },
    ],
  },
  {
    name: "Learn",
    pages: [
      { href: "/help", text: "Help" },
      { href: "/api", text: "API" },
      { href: "/about", text: "About" },
    ],
  },
];
