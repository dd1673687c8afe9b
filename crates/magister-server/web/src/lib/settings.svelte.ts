// What a person has chosen on this device. Kept in local storage; nothing is sent to the server.

export interface Settings {
  theme: "system" | "light" | "dark";
  coordinates: boolean;
  evaluation: boolean;
  sound: boolean;
  motion: boolean;
  level: string;
}

const KEY = "magister.settings";
const defaults: Settings = { theme: "system", coordinates: true, evaluation: false, sound: false, motion: true, level: "" };

function read(): Settings {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...defaults };
  }
}

export const settings = $state<Settings>(read());

export function save(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage the choices last until the page is closed.
  }
  const root = document.documentElement;
  if (settings.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
}

export function toggleTheme(): void {
  const dark = settings.theme === "dark" || (settings.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  settings.theme = dark ? "light" : "dark";
  save();
}

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** The duration of an animation in milliseconds: 0 where the person wants no motion. */
export function duration(ms: number): number {
  return reduced.matches || !settings.motion ? 0 : ms;
}
