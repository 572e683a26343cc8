/** The icons of the page: strokes in a square of 16, drawn in the colour of the text. */

const paths = {
  tools: 'M9.5 3.2a3.2 3.2 0 0 0-3 4.2L2.6 11.3a1.5 1.5 0 1 0 2.1 2.1l3.9-3.9a3.2 3.2 0 0 0 4.2-4L10.9 7.4 8.6 5.1z',
  resources: 'M3.5 2.5h5.2l3.8 3.8v7.2h-9zM8.5 2.7v3.8h3.8',
  prompts: 'M2.5 3.5h11v7.5H7.2l-3 2.6V11H2.5zM5.2 6h5.6M5.2 8.4h3.6',
  apps: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01M8 5h3M8 11h3',
  activity: 'M1.8 8.5h3l2-5.5 2.8 10 1.9-4.5h2.7',
  timeline: 'M2.5 4h6M6 8h7.5M4 12h6.5',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4l3.3 3.3',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.6l3.2 3.2L13 4.8',
  play: 'M5 3.2v9.6l7.5-4.8z',
  stop: 'M4.2 4.2h7.6v7.6H4.2z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  down: 'M4 6.2l4 4 4-4',
  right: 'M6.2 4l4 4-4 4',
  left: 'M9.8 4l-4 4 4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  reload: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
  bell: 'M4 11V7.2a4 4 0 0 1 8 0V11l1 1.2H3zM6.8 13.6h2.4',
  lock: 'M4 7.2h8v6H4zM5.6 7V5.2a2.4 2.4 0 0 1 4.8 0V7',
  warning: 'M8 2.6l6 10.6H2zM8 6.6v3M8 11.4h.01',
  send: 'M2.5 8h10M8.8 4.2L12.6 8l-3.8 3.8',
  trash: 'M3 4.5h10M6 4.3V2.8h4v1.5M4.2 4.5l.6 8.9h6.4l.6-8.9',
  file: 'M3 13V3.6h4l1.4 1.6H13V13z',
  edit: 'M3 13l.6-2.8L10.4 3.4l2.2 2.2-6.8 6.8zM9 4.8L11.2 7',
  pin: 'M6 2.5h4l-.4 4 2.2 2.5H4.2L6.4 6.5zM8 9v4.5',
  whole: 'M9.5 2.5h4v4M6.5 13.5h-4v-4M13.2 2.8L9.5 6.5M2.8 13.2l3.7-3.7',
  half: 'M13.5 6.5h-4v-4M2.5 9.5h4v4M9.8 6.2l3.7-3.7M6.2 9.8l-3.7 3.7',
  save: 'M8 2.5v7M5 6.8L8 9.8l3-3M3 13h10',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

/** A mortise and its tenon. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path class="mark-mortise" d="M2 2h16v6h-5v4H7V8H2z" />
    <path class="mark-tenon" d="M2 10h3.4v3.6h9.2V10H18v8H2z" />
  </svg>
);
