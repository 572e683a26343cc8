/** What an app can have done: calls through the backend and links in a new tab, each after the user has allowed it, and reads. */
import type { OpenedApp, RunRequest } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { shownValue } from '../controls/format.ts';
import { finished, start } from '../state/runs.ts';
import type { AppPorts } from './bridge.ts';
import type { ConsentRequest } from './consent.tsx';

/** A text that an app sent. */
export interface Note {
  readonly kind: 'message' | 'context' | 'log';
  readonly text: string;
}

interface Shown {
  readonly ask: (request: ConsentRequest) => void;
  readonly note: (kind: Note['kind'], text: string) => void;
}

/**
 * On the page: requests of one app that wait for the user. An app must not fill the page with them.
 * @limit inspector
 * @beyond the app gets an error
 */
const maxRequests = 5;

/**
 * On the page: resources that one app reads at once. An app must not flood the server and the timeline.
 * @limit inspector
 * @beyond the app gets an error
 */
const maxReads = 5;

/**
 * On the page: characters of what the user has to allow. It is shown whole: what is cut could be the harmful part.
 * @limit inspector
 * @beyond the app gets an error
 */
export const maxAskedChars = 20_000;

export function portsOf({ app, client }: OpenedApp, { ask, note }: Shown): Omit<AppPorts, 'post' | 'onSize'> {
  let waiting = 0;
  let reading = 0;
  let count = 0;
  const allowed = async (text: string, details: unknown): Promise<void> => {
    if (waiting >= maxRequests) throw new Error('Too many requests wait for the user.');
    if (text.length + shownValue(details, Number.POSITIVE_INFINITY).length > maxAskedChars)
      throw new Error(`A request to the user has at most ${maxAskedChars} characters.`);
    waiting += 1;
    const isAllowed = await new Promise<boolean>((onAnswer) => ask({ id: ++count, text, details, onAnswer }));
    waiting -= 1;
    if (!isAllowed) throw new Error('The user refused.');
  };
  const run = async (request: RunRequest): Promise<unknown> => {
    const started = await start(client, request, `app ${app}`);
    if (started === undefined) throw new Error('The call could not be started.');
    const ended = await finished(started.id);
    if (ended?.status !== 'done') throw new Error(ended?.error?.message ?? 'The call was cancelled.');
    return (await call('result', { run: ended.id })).result;
  };
  return {
    hostContext: () => hostContext(),
    async callTool(name, given) {
      await allowed(`The app wants to call the tool ${name}`, given);
      return run({ kind: 'tool', name, arguments: given, app });
    },
    // Without consent, which the extension leaves to the host: the app comes from the server that it reads from, a read
    // changes nothing there, and the timeline has it.
    async readResource(uri) {
      if (reading >= maxReads) throw new Error('Too many resources are read at once.');
      reading += 1;
      return run({ kind: 'resource', uri }).finally(() => (reading -= 1));
    },
    async openLink(url) {
      if (!/^https?:\/\//i.test(url)) throw new Error('Only http and https can be opened.');
      await allowed('The app wants to open a page', url);
      open(url, '_blank', 'noopener,noreferrer');
    },
    onNote: (kind, content) => note(kind, shownValue(content, 400)),
  };
}

const hostContext = () => ({
  theme: isDark() ? 'dark' : 'light',
  displayMode: 'inline',
  availableDisplayModes: ['inline'],
  locale: navigator.language,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  userAgent: 'tenon-inspector',
  platform: 'web',
});

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
};
