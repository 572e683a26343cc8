/** The edges between panes: dragged, or moved with the arrow keys. A double click takes the size back to its default. */
import { signal } from '@preact/signals';

/** The panes with an edge, each at the side of the page that it grows from. */
const edges = {
  timeline: { label: 'Height of the timeline', side: 'bottom', least: 36, most: () => innerHeight - 240 },
  list: { label: 'Width of the list', side: 'left', least: 160, most: () => innerWidth / 3 },
  aside: { label: 'Width of the activity', side: 'right', least: 240, most: () => innerWidth / 3 },
} as const;

type PaneName = keyof typeof edges;

const place = (pane: PaneName): string => `tenon-inspector-${pane}`;

const stored = (pane: PaneName): number | undefined =>
  Number(globalThis.localStorage?.getItem(place(pane)) ?? 0) || undefined;

const sizes = signal<Readonly<Partial<Record<PaneName, number | undefined>>>>({
  timeline: stored('timeline'),
  list: stored('list'),
  aside: stored('aside'),
});

/** Custom properties of the page: the sizes that the user has chosen. */
export const chosenSizes = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sizes.value).flatMap(([pane, size]) => (size === undefined ? [] : [[`--${pane}`, `${size}px`]])),
  );

function resize(pane: PaneName, size: number | undefined): void {
  const { least, most } = edges[pane];
  const next = size === undefined ? undefined : Math.round(Math.max(least, Math.min(size, most())));
  sizes.value = { ...sizes.peek(), [pane]: next };
  if (next === undefined) localStorage.removeItem(place(pane));
  else localStorage.setItem(place(pane), String(next));
}

/** The size that a pane has now, chosen or not. */
function sizeOf(pane: PaneName): number {
  const box = document.querySelector(`.${pane}`)?.getBoundingClientRect();
  return (pane === 'timeline' ? box?.height : box?.width) ?? edges[pane].least;
}

/** By how much a pane grows when the pointer has moved. */
const growth = (pane: PaneName, x: number, y: number): number => ({ bottom: -y, left: x, right: -x })[edges[pane].side];

const step = 24;
const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -step],
  ArrowDown: [0, step],
  ArrowLeft: [-step, 0],
  ArrowRight: [step, 0],
};

export function Edge({ pane }: { readonly pane: PaneName }) {
  const { label, side, least } = edges[pane];
  const size = sizes.value[pane];
  const onPointerDown = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const edge = event.currentTarget;
    const [x, y, size] = [event.clientX, event.clientY, sizeOf(pane)];
    const onMove = (moved: PointerEvent): void =>
      resize(pane, size + growth(pane, moved.clientX - x, moved.clientY - y));
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', onMove);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', onMove), { once: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = arrows[event.key];
    const by = arrow === undefined ? 0 : growth(pane, ...arrow);
    if (by === 0) return;
    event.preventDefault();
    resize(pane, sizeOf(pane) + by);
  };
  return (
    <div
      // A size that was not chosen is known once the pane is there.
      ref={(edge) => edge?.setAttribute('aria-valuenow', String(Math.round(size ?? sizeOf(pane))))}
      class={`edge edge-${pane}`}
      role="separator"
      tabIndex={0}
      aria-orientation={side === 'bottom' ? 'horizontal' : 'vertical'}
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={2000}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDblClick={() => resize(pane, undefined)}
    />
  );
}
