import type { BuiltIn } from "./call.ts";
import { diff } from "./commands/diff.ts";
import { find } from "./commands/find.ts";
import { grep } from "./commands/grep.ts";
import { du, file, ls, stat } from "./commands/listing.ts";
import { sort, tr, uniq } from "./commands/order.ts";
import { cat, cut, head, nl, tac, tail, wc } from "./commands/parts-of-text.ts";
import { sed } from "./commands/sed.ts";
import { date, echo, pwd, rev } from "./commands/small.ts";

/** The commands that run inside this program; none of them writes, and none starts another. */
export const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map(
  Object.entries({
    cat,
    cut,
    date,
    diff,
    du,
    echo,
    egrep: grep,
    fgrep: grep,
    file,
    find,
    grep,
    head,
    ls,
    nl,
    pwd,
    rev,
    sed,
    sort,
    stat,
    tac,
    tail,
    tr,
    uniq,
    wc,
  }),
);
