import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import type { IFileSystem } from "just-bash/browser";
import { systemCode } from "../../errors.ts";
import { whyProtected } from "../confine.ts";
import type { OwnPlaces } from "../confine.ts";

/** What of a workspace one session may see, as a file system for its shell. */
export interface SessionView {
  fs: IFileSystem;
  /** Where a path leads, from the workspace and links followed; throws where it is not the session's to see. */
  locate(path: string): string;
  /** The files that were read so far, from the workspace. */
  seen: ReadonlySet<string>;
  /** What was refused so far, each with its reason. */
  refused: ReadonlySet<string>;
}

const LARGEST_VIEWED = 64_000_000;
const MOST_REASONS = 5;

/**
 * Looks at a workspace with the eyes of one session. Nothing can be written, what is protected is not there, and links are not
 * listed: one that leads outside does not exist, and one that leads back inside would be seen twice, or for ever.
 */
export function createSessionView(workspace: string, own: OwnPlaces): SessionView {
  const root = realpathSync(workspace);
  const seen = new Set<string>();
  const refused = new Set<string>();
  const refuse = (path: string, reason: string): Error => {
    if (refused.size < MOST_REASONS) refused.add(`${JSON.stringify(posix.relative("/", path))} is refused: ${reason}`);
    return systemError("ENOENT", "no such file or directory", path);
  };
  /** The real place of a path, whether something is there or not. */
  const locate = (path: string): { absolute: string; inside: string } => {
    if (path.includes("\0")) throw refuse(path, "it contains a NUL character");
    const absolute = follow(resolve(root, `.${posix.resolve("/", path)}`));
    const inside = relative(root, absolute).split(sep).join("/");
    if (inside === ".." || inside.startsWith("../") || isAbsolute(inside))
      throw refuse(path, "it is outside the workspace");
    const reason = whyProtected(inside, own);
    if (reason !== undefined) throw refuse(path, reason);
    return { absolute, inside };
  };
  const find = (path: string): { absolute: string; inside: string; info: Stats } => {
    const place = locate(path);
    const info = statSync(place.absolute, { throwIfNoEntry: false });
    if (info === undefined) throw systemError("ENOENT", "no such file or directory", path);
    return { ...place, info };
  };
  const read = (path: string): Buffer => {
    const { absolute, inside, info } = find(path);
    if (info.isDirectory()) throw systemError("EISDIR", "illegal operation on a directory", path);
    // A pipe or a device would keep the thread waiting where nothing can end it.
    const file = openSync(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    try {
      const opened = fstatSync(file);
      if (!opened.isFile()) throw refuse(path, "it is not a plain file");
      if (opened.size > LARGEST_VIEWED) throw refuse(path, `it is too large (${opened.size} bytes)`);
      seen.add(inside);
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  };
  const list = (path: string): { name: string; info: Stats }[] => {
    const folder = find(path);
    if (!folder.info.isDirectory()) throw systemError("ENOTDIR", "not a directory", path);
    const isHidden = (name: string) => whyProtected(posix.join(folder.inside, name), own) !== undefined;
    return readdirSync(folder.absolute)
      .toSorted()
      .filter((name) => !isHidden(name))
      .flatMap((name) => {
        const info = lstatSync(join(folder.absolute, name), { throwIfNoEntry: false });
        return info === undefined || info.isSymbolicLink() ? [] : [{ name, info }];
      });
  };
  const write = (path: string): Promise<never> => {
    refuse(path, "nothing can be written here; /tmp is for the time of one command");
    return Promise.reject(systemError("EROFS", "read-only file system", path));
  };
  const stat = (path: string) => {
    const { info, inside } = find(path);
    return {
      isFile: !info.isDirectory(),
      isDirectory: info.isDirectory(),
      isSymbolicLink: false,
      mode: info.mode & 0o777,
      size: info.size,
      mtime: info.mtime,
      identity: inside,
    };
  };
  const fs: IFileSystem = {
    readFile: async (path, options) => {
      const encoding = typeof options === "string" ? options : options?.encoding;
      return read(path).toString(encoding ?? "utf8");
    },
    readFileBuffer: async (path) => read(path),
    exists: async (path) => {
      try {
        return find(path) !== undefined;
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        return false;
      }
    },
    stat: async (path) => stat(path),
    lstat: async (path) => stat(path),
    realpath: async (path) => posix.join("/", find(path).inside),
    readlink: (path) => Promise.reject(systemError("EINVAL", "invalid argument", path)),
    readdir: async (path) => list(path).map(({ name }) => name),
    readdirWithFileTypes: async (path) =>
      list(path).map(({ name, info }) => ({
        name,
        isFile: !info.isDirectory(),
        isDirectory: info.isDirectory(),
        isSymbolicLink: false,
      })),
    resolvePath: (base, path) => posix.resolve(base, path),
    getAllPaths: () => [],
    writeFile: write,
    appendFile: write,
    mkdir: write,
    rm: write,
    cp: (_, path) => write(path),
    mv: write,
    chmod: write,
    symlink: (_, path) => write(path),
    link: (_, path) => write(path),
    utimes: write,
  };
  return { fs, seen, refused, locate: (path) => locate(path).inside };
}

/** The real place of a path of which the last parts need not be there. */
function follow(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const parent = dirname(path);
    return parent === path ? path : join(follow(parent), basename(path));
  }
}

function systemError(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what}, open '${path}'`), { code });
}
