import type { ForgetReceipt } from "../../../server/inspector/forget-shapes.ts";
import { instantOf, number, whole } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { Counts } from "./counts.tsx";

/** What went, and what was looked through afterwards. The forgotten words are not in it. */
export function Receipt({ receipt }: { receipt: ForgetReceipt }) {
  const at = instantOf(receipt.at);
  const { files, bytes } = receipt.scan;
  return (
    <section class="card stack receipt" aria-label="Receipt" role="status">
      <h2>Forgotten</h2>
      {at && <p class="small">{whole(at)}</p>}
      <Counts counts={receipt.counts} />
      <p>
        {receipt.left.length === 0 && receipt.isProven
          ? `Every byte was scanned afterwards: ${number(Number(files))} files, ${number(Number(bytes))} bytes. Nothing of it is left.`
          : `${number(Number(files))} files were searched afterwards.`}
      </p>
      {receipt.left.length > 0 && (
        <div class="failed">
          <p>It is still in these places, which only you can change:</p>
          <ul>
            {receipt.left.map((remnant) => (
              <li key={String(remnant["path"])}>
                <Plain text={String(remnant["path"])} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
