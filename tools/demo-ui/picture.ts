import { crc32, deflateSync } from "node:zlib";

const WIDTH = 240;
const HEIGHT = 150;

/** A small picture of a shore, as a data URL: sky, sea, seagrass. */
export function drawShore(): string {
  const rows: Buffer[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    const row = Buffer.alloc(1 + WIDTH * 3);
    for (let x = 0; x < WIDTH; x++) row.set(colourAt(x, y), 1 + x * 3);
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const bytes = Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${bytes.toString("base64")}`;
}

function colourAt(x: number, y: number): [number, number, number] {
  const horizon = 52 + 3 * Math.sin(x / 23);
  if (y < horizon) return [205 - y, 226 - y / 2, 236];
  const depth = (y - horizon) / (HEIGHT - horizon);
  const isGrass = Math.sin(x * 0.55 + Math.sin(y / 9) * 2) > 0.55 && depth > 0.35 + 0.2 * Math.sin(x / 17);
  if (isGrass) return [44, 96 + 20 * depth, 70];
  return [70 - 40 * depth, 140 - 60 * depth, 160 - 50 * depth];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body) >>> 0);
  return Buffer.concat([size, body, sum]);
}
