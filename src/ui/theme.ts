const KEY = "tidemark-theme";
export type Theme = "auto" | "light" | "dark";

/** What the reader chose; the system's when nothing was. */
function readTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

/** Puts a theme on the page, and keeps it for the next time. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === "auto") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  const isDark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  dispatchEvent(new Event("themechange"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());
