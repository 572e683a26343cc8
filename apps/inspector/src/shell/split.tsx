/** The edge between the panes and the timeline: dragged, or moved with the arrow keys. */
import { signal } from '@preact/signals';

const place = 'tenon-inspector-timeline';
const least = 36;

export const timelineHeight = signal(Number(globalThis.localStorage?.getItem(place) ?? 264) || 264);

function resize(height: number): void {
  const most = Math.max(least, innerHeight - 240);
  timelineHeight.value = Math.round(Math.min(Math.max(height, least), most));
  localStorage.setItem(place, String(timelineHeight.value));
}

function onPointerDown(event: PointerEvent & { readonly currentTarget: HTMLElement }): void {
  const handle = event.currentTarget;
  const from = event.clientY;
  const height = timelineHeight.value;
  const onMove = (moved: PointerEvent): void => resize(height + from - moved.clientY);
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener('pointermove', onMove);
  handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', onMove), {
    once: true,
  });
}

function onKeyDown(event: KeyboardEvent): void {
  const steps: Readonly<Record<string, number>> = { ArrowUp: 24, ArrowDown: -24 };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  resize(timelineHeight.value + step);
}

export const TimelineHandle = () => (
  <div
    class="handle"
    role="separator"
    tabIndex={0}
    aria-orientation="horizontal"
    aria-label="Height of the timeline"
    aria-valuenow={timelineHeight.value}
    aria-valuemin={least}
    aria-valuemax={2000}
    onPointerDown={onPointerDown}
    onKeyDown={onKeyDown}
  />
);
