/** Starts the page with a backend. */
import { render } from 'preact';
import { type ApiPort, usePort } from './api/port.ts';
import { App } from './shell/app.tsx';
import { followShortcuts } from './shell/shortcuts.ts';
import { followTheme } from './shell/theme.ts';
import { followTour } from './shell/tour.ts';
import { open } from './state/opening.ts';
import { followWidth } from './state/panes.ts';
import { followAddress } from './state/place.ts';
import { followTexts } from './state/texts.ts';
import { followRows } from './timeline/rows/shown-rows.ts';

export async function start(port: ApiPort): Promise<void> {
  const root = document.getElementById('page');
  if (root === null) return;
  usePort(port);
  followTheme();
  // The token leaves the address before the place is written to it.
  const opened = open();
  followAddress();
  followWidth();
  followShortcuts();
  followRows();
  followTexts();
  followTour();
  render(<App />, root);
  await opened;
}
