import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { MemoryError, systemCode } from "../../errors.ts";
import { whyProtected } from "../confine.ts";
import type { OwnPlaces } from "../confine.ts";
import { trimEnd } from "../../language/trim-end.ts";

/** A file or folder that the session may see. */
export interface Place {
  /** As the command named it. */
  name: string;
  absolute: string;
  /** From the workspace, with forward slashes. */
  inside: string;
}

/** What of a workspace one session may see. It can only be read. */
export interface View {
  /** Where a path leads, links followed; refuses what is not the session's to see, whether it is there or not. */
  locate(path: string): Place;
  /** What is known of a place; undefined when nothing is there. */
  stat(place: Place): Stats | undefined;
  /** What lies in a folder, without what is hidden, in order. */
  list(place: Place): Place[];
  read(place: Place): Buffer;
  /** What was read so far, from the workspace. */
  readonly seen: ReadonlySet<string>;
}

const LARGEST_VIEWED = 64_000_000;

/** Looks at a workspace with the eyes of one session. */
export function createView(workspace: string, own: OwnPlaces): View {
  const root = realpathSync(workspace);
  const seen = new Set<string>();
  const locate = (path: string): Place => {
    if (path.includes("\0")) throw refuse(path, "it contains a NUL character");
    const absolute = follow(resolve(root, path));
    const inside = relative(root, absolute).split(sep).join("/");
    if (inside === ".." || inside.startsWith("../") || isAbsolute(inside)) {
      throw refuse(path, "it is outside the workspace");
    }
    const reason = whyProtected(inside, own);
    if (reason !== undefined) throw refuse(path, reason);
    return { name: path, absolute, inside };
  };
  return {
    locate,
    seen,
    stat: ({ absolute }) => statSync(absolute, { throwIfNoEntry: false }),
    list(folder) {
      const names = readdirSync(folder.absolute).toSorted();
      return names.flatMap((name) => {
        const path = folder.name === "." ? name : `${trimEnd(folder.name, /\//)}/${name}`;
        try {
          const { absolute, inside } = locate(join(folder.absolute, name));
          // Links back into the workspace would be seen twice, or for ever.
          return lstatSync(join(folder.absolute, name)).isSymbolicLink() ? [] : [{ name: path, absolute, inside }];
        } catch (error) {
          if (error instanceof MemoryError || systemCode(error) === "ENOENT") return [];
          throw error;
        }
      });
    },
    read({ absolute, name, inside }) {
      seen.add(inside);
      // A pipe or a device would keep the thread waiting where nothing can end it.
      const file = openSync(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
      try {
        const info = fstatSync(file);
        if (!info.isFile()) throw new MemoryError("PATH_REFUSED", `${name} is not a plain file`);
        if (info.size > LARGEST_VIEWED)
          throw new MemoryError("PATH_REFUSED", `${name} is too large (${info.size} bytes)`);
        return readFileSync(file);
      } finally {
        closeSync(file);
      }
    },
  };
}

/** The last part of a name. */
export function baseOf({ name }: Place): string {
  return name.split("/").findLast((part) => part !== "") ?? name;
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

function refuse(path: string, reason: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is refused: ${reason}`);
}
