/** The apps that are open: what they declare, where their frames are, and which tools they may call. */
import { randomBytes } from 'node:crypto';
import type { Client } from '../../client/api/client.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { isVisibleTo, uiOf } from '../../protocol/apps.ts';
import type { OpenedApp } from '../api/apps.ts';
import type { RunRequest } from '../api/runs.ts';
import { InspectorError } from '../api-error.ts';
import type { InspectedClient } from '../clients/inspected-client.ts';
import { appConnections, appPolicy, readAppPolicy } from './app-policy.ts';
import { withoutPrivate } from './private-origins.ts';
import { proxyPage } from './proxy-page.ts';
import { type Sandbox, serveSandbox } from './sandbox.ts';

/**
 * Apps that are open.
 * @limit inspector
 * @beyond the oldest is closed
 */
const maxApps = 50;

const appType = /^text\/html\s*;\s*profile="?mcp-app"?$/i;

interface App {
  readonly client: string;
  readonly policy: string;
  readonly connections: string;
  readonly page: string;
}

export class AppSet {
  readonly #apps = new Map<string, App>();
  #sandbox: Promise<Sandbox | undefined> | undefined;

  /** The origin of the frames of apps; undefined if no port could be opened. Opens it at the first call. */
  async origin(): Promise<string | undefined> {
    this.#sandbox ??= serveSandbox((id) => {
      const app = this.#apps.get(id);
      return app && { ...app, html: proxyPage(app.page) };
    }).catch(() => undefined);
    return (await this.#sandbox)?.origin;
  }

  /** `page` is the origin of the inspector in the browser that asks. */
  async open(
    { id: client, client: connected }: InspectedClient,
    uri: string,
    page: string,
    allowed: readonly string[] = [],
  ): Promise<OpenedApp> {
    if (!uri.startsWith('ui://'))
      throw new InspectorError('invalid-request', 'Apps have addresses that begin with ui://.');
    const { html, ui } = await readApp(connected, uri);
    const origin = await this.origin();
    if (origin === undefined)
      throw new InspectorError('not-connected', 'No port for the frames of apps could be opened.');
    const { csp, refused: privateOrigins } = withoutPrivate(readAppPolicy(ui.csp), allowed);
    const policy = appPolicy(csp, page);
    const app = randomBytes(16).toString('base64url');
    this.#apps.set(app, { client, policy, connections: appConnections(csp), page });
    const [oldest = app] = this.#apps.keys();
    if (this.#apps.size > maxApps) this.#apps.delete(oldest);
    return {
      app,
      client,
      uri,
      origin,
      html,
      policy,
      csp,
      privateOrigins,
      frame: `${origin}/${app}`,
      ...(isRecord(ui.permissions) && { permissions: ui.permissions }),
      ...(typeof ui.prefersBorder === 'boolean' && { prefersBorder: ui.prefersBorder }),
    };
  }

  close(app: string): void {
    this.#apps.delete(app);
  }

  /** Throws unless the app belongs to the client, and the tool lets apps call it. */
  async check(client: InspectedClient, request: RunRequest): Promise<void> {
    if (request.kind !== 'tool' || request.app === undefined) return;
    const app = this.#apps.get(request.app);
    if (app === undefined) throw new InspectorError('not-found', 'The app is closed.');
    if (app.client !== client.id) throw refused('An app calls only tools of its own server.');
    const tools = await client.client.tools.list().all();
    if (!isVisibleTo('app', tools.find(({ name }) => name === request.name) ?? {}))
      throw refused(`The tool ${JSON.stringify(request.name)} is not for apps.`);
  }

  async closeAll(): Promise<void> {
    this.#apps.clear();
    await (await this.#sandbox)?.close();
  }
}

const refused = (text: string): InspectorError => new InspectorError('invalid-request', text);

/** What the read content declares comes first, then what the list says. */
async function readApp(client: Client, uri: string): Promise<{ readonly html: string; readonly ui: Fields }> {
  const { contents } = await client.resources.read(uri, { cache: 'reload' });
  const found = contents.find(({ mimeType = '' }) => appType.test(mimeType));
  if (found === undefined)
    throw new InspectorError(
      'invalid-request',
      'The resource is not an app.',
      'Its type must be text/html;profile=mcp-app.',
    );
  const html = 'text' in found ? String(found.text) : Buffer.from(String(found.blob), 'base64').toString('utf8');
  if (isRecord(found._meta?.ui)) return { html, ui: uiOf(found._meta) };
  const listed = await client.resources
    .list()
    .all()
    .catch(() => []);
  return { html, ui: uiOf(listed.find((one) => one.uri === uri)?._meta) };
}
