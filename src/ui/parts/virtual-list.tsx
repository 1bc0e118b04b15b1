import type { ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

interface ListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  /** What an item is likely to be high, before it was ever seen. */
  guess: (item: T) => number;
  label: string;
  /** An item to be brought into view when it changes. */
  shown?: number | undefined;
}

// Fewer than this are simply there: the browser's own search finds them.
const FEW = 150;
const MARGIN_PX = 600;

/** A list of which only what is near the window exists. Heights are measured as items come into view. */
export function VirtualList<T>(props: ListProps<T>) {
  return props.items.length <= FEW ? <ShortList {...props} /> : <LongList {...props} />;
}

function ShortList<T>({ items, keyOf, render, label, shown }: ListProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (shown !== undefined) list.current?.children[shown]?.scrollIntoView({ block: "center" });
  }, [shown]);
  return (
    <ul class="list" aria-label={label} ref={list}>
      {items.map((item, index) => (
        <li key={keyOf(item)}>{render(item, index)}</li>
      ))}
    </ul>
  );
}

function LongList<T>({ items, keyOf, render, guess, label, shown }: ListProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const [version, setVersion] = useState(0);
  const [window, setWindow] = useState({ top: 0, bottom: 1200 });
  // Asked for its key is only what may have been measured: the first draw of a long list must not wait for that.
  const sizes = useMemo(() => {
    const known = heights.current;
    return Float64Array.from(items, (item) => (known.size > 0 ? known.get(keyOf(item)) : undefined) ?? guess(item));
  }, [items]);
  const measured = useRef(sizes);
  measured.current = sizes;
  const offsets = useMemo(() => {
    const sums = new Float64Array(sizes.length + 1);
    for (const [index, size] of sizes.entries()) sums[index + 1] = (sums[index] ?? 0) + size;
    return sums;
  }, [sizes, version]);
  const look = useCallback(() => {
    const box = list.current?.getBoundingClientRect();
    if (box) setWindow({ top: -box.top, bottom: -box.top + innerHeight });
  }, []);
  useLayoutEffect(() => {
    look();
    // Scrolling does not bubble, but it can be caught on the way down, whichever element scrolls.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      document.removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [look]);
  useLayoutEffect(() => {
    const scroller = list.current?.closest(".scroller");
    if (shown === undefined || !scroller || !list.current) return;
    const start = list.current.getBoundingClientRect().top + scroller.scrollTop - scroller.getBoundingClientRect().top;
    scroller.scrollTop = start + (offsets[shown] ?? 0) - scroller.clientHeight / 3;
  }, [shown]);
  const first = Math.max(0, placeOf(offsets, window.top - MARGIN_PX));
  const last = Math.min(items.length, placeOf(offsets, window.bottom + MARGIN_PX) + 1);
  const visible = items.slice(first, last);
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let isNew = false;
        for (const { target, borderBoxSize } of entries) {
          const { key, place } = target instanceof HTMLElement ? target.dataset : {};
          const height = borderBoxSize[0]?.blockSize ?? 0;
          if (key === undefined || height === 0 || Math.abs((heights.current.get(key) ?? 0) - height) < 0.5) continue;
          heights.current.set(key, height);
          measured.current[Number(place)] = height;
          isNew = true;
        }
        if (isNew) setVersion((before) => before + 1);
      }),
    [],
  );
  useLayoutEffect(() => () => observer.disconnect(), [observer]);
  return (
    <ul class="list long" aria-label={label} ref={list} style={{ height: `${offsets[items.length] ?? 0}px` }}>
      {visible.map((item, index) => {
        const key = keyOf(item);
        return (
          <li
            key={key}
            data-key={key}
            data-place={first + index}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ transform: `translateY(${offsets[first + index] ?? 0}px)` }}
            ref={(element) => {
              if (element) observer.observe(element);
            }}
          >
            {render(item, first + index)}
          </li>
        );
      })}
    </ul>
  );
}

/** The item that stands at a height. */
function placeOf(offsets: Float64Array, height: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
