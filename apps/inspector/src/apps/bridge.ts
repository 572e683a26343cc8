/** The host's side of an app: answers its requests, and sends it the arguments and the result of its tool. Knows no frames. */

type Fields = Readonly<Record<string, unknown>>;

/** A message of JSON-RPC in either direction. */
interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: unknown;
}

/** What the host does for an app. What is refused rejects with an error, whose message the app gets. */
export interface AppPorts {
  readonly post: (message: object) => void;
  readonly hostContext: () => Fields;
  readonly callTool: (name: string, given: Fields) => Promise<unknown>;
  readonly readResource: (uri: string) => Promise<unknown>;
  readonly openLink: (url: string) => Promise<void>;
  /** A text that the app sent: to the conversation, for the model, or to the log. */
  readonly onNote: (kind: 'message' | 'context' | 'log', content: unknown) => void;
  readonly onSize: (height: number) => void;
}

/** The tool that the app shows: its arguments, and its result as soon as there is one. */
export interface ShownCall {
  readonly arguments: Fields;
  readonly result?: unknown;
  readonly isCancelled?: boolean;
}

/**
 * On the page: characters of what the user has to allow. It is shown whole: what is cut could be the harmful part.
 * @limit inspector
 * @beyond the app gets an error
 */
const maxAskedChars = 20_000;

/** What the user reads about a request of an app. Throws if it is too long to be shown. */
export function askedText(title: string, details: unknown): string {
  const text = typeof details === 'string' ? details : JSON.stringify(details);
  if (title.length + text.length <= maxAskedChars) return text;
  throw new Error(`A request to the user has at most ${maxAskedChars} characters.`);
}

const methodNotFound = -32601;
const refused = -32000;

export class AppBridge {
  readonly #ports: AppPorts;
  #isInitialized = false;
  #call: ShownCall;
  #hasInput = false;
  #hasOutcome = false;
  #teardown: (() => void) | undefined;

  constructor(ports: AppPorts, call: ShownCall) {
    this.#ports = ports;
    this.#call = call;
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** The tool has a result now, or was cancelled. */
  update(call: ShownCall): void {
    this.#call = call;
    this.#flush();
  }

  contextChanged(): void {
    if (this.#isInitialized) this.#notify('ui/notifications/host-context-changed', this.#ports.hostContext());
  }

  /** Sends `ui/resource-teardown`. Resolves when the app has answered; the caller has its own time limit. */
  teardown(): Promise<void> {
    if (!this.#isInitialized) return Promise.resolve();
    return new Promise((resolve) => {
      this.#teardown = resolve;
      this.#ports.post({
        jsonrpc: '2.0',
        id: 'teardown',
        method: 'ui/resource-teardown',
        params: { reason: 'closed' },
      });
    });
  }

  /** A message of the app. Anything that is no JSON-RPC is dropped. */
  receive(data: unknown): void {
    if (typeof data !== 'object' || data === null || (data as Message).jsonrpc !== '2.0') return;
    const { id, method, params: given } = data as Message;
    const params = typeof given === 'object' && given !== null ? given : {};
    if (method === undefined) {
      if (id === 'teardown') this.#teardown?.();
    } else if (id === undefined) this.#notified(method, params);
    else void this.#answer(id, method, params);
  }

  #notified(method: string, params: Fields): void {
    if (method === 'ui/notifications/initialized') {
      this.#isInitialized = true;
      this.#flush();
    } else if (method === 'ui/notifications/size-changed') {
      if (Number.isFinite(params.height)) this.#ports.onSize(params.height as number);
    } else if (method === 'notifications/message') this.#ports.onNote('log', params);
  }

  async #answer(id: string | number, method: string, params: Fields): Promise<void> {
    try {
      this.#ports.post({ jsonrpc: '2.0', id, result: await this.#result(method, params) });
    } catch (error) {
      const { code = refused, message } = error as Error & { code?: number };
      this.#ports.post({ jsonrpc: '2.0', id, error: { code: typeof code === 'number' ? code : refused, message } });
    }
  }

  async #result(method: string, params: Fields): Promise<unknown> {
    switch (method) {
      case 'ui/initialize':
        return {
          // All versions of the bridge so far are answered alike.
          protocolVersion: params.protocolVersion,
          hostInfo: { name: 'tenon-inspector', version: '1' },
          hostCapabilities: { serverTools: {}, serverResources: {}, openLinks: {}, logging: {} },
          hostContext: this.#ports.hostContext(),
        };
      case 'ping':
        return {};
      case 'ui/open-link':
        await this.#ports.openLink(String(params.url));
        return {};
      case 'ui/message':
        this.#ports.onNote('message', params);
        return {};
      case 'ui/update-model-context':
        this.#ports.onNote('context', params);
        return {};
      case 'ui/request-display-mode':
        // There is only this one: the answer is the current mode.
        return { mode: 'inline' };
      case 'tools/call':
        return this.#ports.callTool(String(params.name), (params.arguments ?? {}) as Fields);
      case 'resources/read':
        return this.#ports.readResource(String(params.uri));
      default:
        throw Object.assign(new Error(`This host does not answer ${method}.`), { code: methodNotFound });
    }
  }

  /** Nothing before the app is initialized; the arguments once, then the outcome of the call. */
  #flush(): void {
    if (!this.#isInitialized) return;
    const { arguments: given, result, isCancelled } = this.#call;
    if (!this.#hasInput) this.#notify('ui/notifications/tool-input', { arguments: given });
    this.#hasInput = true;
    if (this.#hasOutcome || (result === undefined && !isCancelled)) return;
    this.#hasOutcome = true;
    if (isCancelled) this.#notify('ui/notifications/tool-cancelled', { reason: 'The call was cancelled.' });
    else this.#notify('ui/notifications/tool-result', result as Fields);
  }

  #notify(method: string, params: Fields): void {
    this.#ports.post({ jsonrpc: '2.0', method, params });
  }
}
