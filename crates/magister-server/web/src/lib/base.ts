// Addresses of this site. A reverse proxy may show it under a path, which the server writes into the page.

const named = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? "";
const base = named.replace(/\/+$/, "");

/** An address of this site as the browser needs it. */
export function at(path: string): string {
  return path.startsWith("/") ? base + path : path;
}

/** A path of the browser as pages and routes write it, or null if it is not of this site. */
export function within(path: string): string | null {
  if (path === base) return "/";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}
