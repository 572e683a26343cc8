/** The frame of an app: opened on an origin of its own, connected by the bridge, with consent for what it wants to do. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiError, ClientInfo, OpenedApp, RunInfo } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { shownValue } from '../controls/format.ts';
import { ErrorNotice } from '../controls/notice.tsx';
import { resultOf } from '../state/runs.ts';
import { AppBridge, type ShownCall } from './bridge.ts';
import { Consent, type ConsentRequest } from './consent.tsx';
import { type Note, portsOf } from './ports.ts';

interface AppFrameProps {
  readonly client: ClientInfo;
  readonly uri: string;
  readonly run: RunInfo;
}

const leastHeight = 120;
const mostHeight = 900;
const maxNotes = 20;
/** How long an app may take to answer that it is closed. */
const teardownMs = 300;

export function AppFrame({ client, uri, run }: AppFrameProps) {
  const opened = useSignal<OpenedApp | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const allowed = useSignal<readonly string[]>([]);
  const isAnswered = useSignal(false);
  useEffect(() => {
    let isWanted = true;
    let app: string | undefined;
    const close = (): void => void (app !== undefined && call('closeApp', { app }).catch(() => undefined));
    const openFrame = async (): Promise<void> => {
      const answer = await call('openApp', { client: client.id, uri, privateOrigins: allowed.value });
      app = answer.app;
      if (isWanted) opened.value = answer;
      else close();
    };
    void openFrame().catch((thrown) => (error.value = errorOf(thrown)));
    return () => {
      isWanted = false;
      setTimeout(close, teardownMs);
    };
  }, [client.id, uri, allowed.value]);
  if (error.value !== undefined) return <ErrorNotice error={error.value} />;
  if (opened.value === undefined) return <p class="faint">Opening {uri}…</p>;
  const { app, privateOrigins } = opened.value;
  const answer = (isAllowed: boolean): void => void (isAllowed && (allowed.value = privateOrigins));
  const asked = {
    id: 0,
    text: 'The app wants to reach this machine, or a private network. It is blocked until you allow it',
    details: privateOrigins.join(' '),
    onAnswer: answer,
  };
  return (
    <>
      {privateOrigins.length > 0 && !isAnswered.value && (
        <Consent key={app} requests={[asked]} onAnswered={() => (isAnswered.value = true)} />
      )}
      <OpenFrame key={app} app={opened.value} run={run} />
    </>
  );
}

function OpenFrame({ app, run }: { readonly app: OpenedApp; readonly run: RunInfo }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<AppBridge | undefined>(undefined);
  const wanted = useSignal(leastHeight * 2);
  const requests = useSignal<readonly ConsentRequest[]>([]);
  // While a request waits the frame keeps its height: an app must not move a button below the pointer.
  const height = useRef(0);
  if (requests.value.length === 0) height.current = wanted.value;
  const notes = useSignal<readonly Note[]>([]);
  const isRemoved = useSignal(false);
  const shown = shownCall(run);
  const origins = [...new Set(Object.values(app.csp ?? {}).flat())];

  useEffect(() => {
    const post = (message: object): void => frame.current?.contentWindow?.postMessage(message, app.origin);
    const ports = portsOf(app, {
      ask: (request) => (requests.value = [...requests.value, request]),
      note: (kind, text) => (notes.value = withNote(notes.value, { kind, text })),
    });
    const made = new AppBridge(
      { ...ports, post, onSize: (next) => (wanted.value = Math.min(Math.max(next, leastHeight), mostHeight)) },
      shown,
    );
    bridge.current = made;
    const onMessage = ({ source, origin, data }: MessageEvent<{ readonly method?: unknown } | null>): void => {
      if (source !== frame.current?.contentWindow || origin !== app.origin) return;
      if (data?.method === 'ui/notifications/sandbox-proxy-ready')
        post({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: app.html } });
      else if (data?.method === 'ui/notifications/sandbox-app-removed') isRemoved.value = true;
      else made.receive(data);
    };
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const onTheme = (): void => made.contextChanged();
    addEventListener('message', onMessage);
    theme.addEventListener('change', onTheme);
    return () => {
      void made.teardown();
      removeEventListener('message', onMessage);
      theme.removeEventListener('change', onTheme);
    };
  }, [app.app]);
  useEffect(() => bridge.current?.update(shown));

  return (
    <section class="app" aria-label="App">
      <iframe
        ref={frame}
        class={app.prefersBorder === false ? 'bare' : undefined}
        title={`App ${app.uri}`}
        src={app.frame}
        sandbox="allow-scripts allow-same-origin"
        style={{ height: `${height.current}px` }}
      />
      {isRemoved.value && <p role="alert">The app was closed: it sent too many messages.</p>}
      <Consent
        requests={requests.value}
        onAnswered={(request) => (requests.value = requests.value.filter((each) => each !== request))}
      />
      {notes.value.map(({ kind, text }, at) => (
        <p key={at} class="app-note mono">
          {kind}: {text}
        </p>
      ))}
      {origins.length > 0 && <p class="app-note">This app loads from elsewhere: {origins.join(', ')}</p>}
      <details>
        <summary>What it may load</summary>
        <p class="mono">{app.policy}</p>
        {app.permissions !== undefined && <p class="faint">Not granted: {shownValue(app.permissions)}</p>}
      </details>
    </section>
  );
}

/** The newest notes. What an app sends for the model replaces what it sent before. */
function withNote(notes: readonly Note[], added: Note): readonly Note[] {
  const others = added.kind === 'context' ? notes.filter(({ kind }) => kind !== 'context') : notes;
  return [...others, added].slice(-maxNotes);
}

function shownCall(run: RunInfo): ShownCall {
  const given = run.request.kind === 'tool' ? run.request.arguments : {};
  const result = resultOf(run)?.result;
  const isCancelled = run.status === 'cancelled' || run.status === 'failed';
  return { arguments: given, isCancelled, ...(result !== undefined && { result }) };
}
