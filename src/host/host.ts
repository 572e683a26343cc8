/** Many clients as one: what their servers have under one roof, each server kept apart from the others. */
import type { CallOptions, Client } from '../client/api/client.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/generated/types/records.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Rules } from '../protocol/option-rules.ts';
import type { Catalogue } from './lists/catalogue.ts';
import {
  createLists,
  type Gathered,
  type HostPrompt,
  type HostResource,
  type HostTemplate,
  type HostTool,
  type Lists,
} from './lists/lists.ts';
import { addressedBy, hasDigest, type Origin } from './lists/names.ts';
import type { HostOptions } from './options.ts';
import { checkShape, clientProblems, hostProblems, refuseAll } from './options-check.ts';
import { createJudge, type Judge, type Judged } from './requests/consent.ts';
import { createDecide } from './requests/decisions.ts';
import { type AnswerPorts, answersFor, hooksOf } from './requests/handlers.ts';
import { createTurns } from './requests/question-queue.ts';
import { createFeed, type Feed, type HostChanges } from './servers/changes.ts';
import { type HostTarget, readServers, type Seat } from './servers/config.ts';
import { type Health, Member } from './servers/member.ts';

export interface Host extends AsyncDisposable {
  /** The servers by name, in the order of the configuration. */
  readonly servers: readonly string[];
  readonly tools: {
    list(): Promise<Gathered<HostTool>>;
    /** Runs a tool by the name that a list gave it, once `consent.tool` has allowed it; else rejects with `denied`. */
    call(name: string, given?: Fields, options?: CallOptions): Promise<CallToolResult>;
  };
  readonly resources: {
    list(): Promise<Gathered<HostResource>>;
    templates(): Promise<Gathered<HostTemplate>>;
    read(address: string, options?: CallOptions): Promise<ReadResourceResult>;
  };
  readonly prompts: {
    list(): Promise<Gathered<HostPrompt>>;
    get(name: string, given?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult>;
  };
  /** What servers that are connected say of how to use them. */
  instructions(): Array<{ readonly server: string; readonly text: string }>;
  /** How each server is doing. */
  health(): Health[];
  /** What changes on servers while they are connected. Starts none. */
  changes(): HostChanges;
  /** Tells servers that are connected that the roots have changed. */
  rootsChanged(): void;
  /** Ends all connections, each once its calls have ended or `timeoutMs` (5 seconds) have passed. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Makes the client of one server. */
export type OpenClient = (target: HostTarget, options: ConnectOptions, server: string) => Client;

/** A host that makes its clients by `open`; `more` is what can be said besides. Starts nothing. */
export function assembleHost(options: HostOptions, open: OpenClient, more: Rules = {}): Host {
  const seats = checkedSeats(options, more);
  const deadlines = options.deadlines ?? createDeadlines();
  const fault = (server: string, error: unknown): void => {
    runSafely(() => options.fault?.(server, error instanceof Error ? error : new Error(String(error))));
  };
  const decide = createDecide(options.decided, options.tellRequests === true, fault);
  const ending = new AbortController();
  const judge = createJudge({
    allowsAll: options.consent === 'allow-all',
    deadlines,
    timeoutMs: options.consentTimeoutMs ?? 5 * 60_000,
    decide,
    closing: ending.signal,
    fault,
  });
  const closing = ending.signal;
  const answering: AnswerPorts = { options, deadlines, turns: createTurns(), judge, decide, closing };
  const feed = createFeed((isRead) => members.forEach((member) => member.watch(isRead)));
  const members = seats.map(
    (seat) =>
      new Member({
        server: seat.server,
        deadlines,
        listTimeoutMs: options.listTimeoutMs ?? 30_000,
        maxListed: options.maxListed ?? 1000,
        feed,
        open: createOpen(seat, options, answering, fault, open),
        fault: (error) => fault(seat.server, error),
      }),
  );
  return createRoof(options, { members, feed, judge, deadlines, ending });
}

/** The servers, where nothing is wrong with them or anything else: all that is, is told at once. */
function checkedSeats(options: HostOptions, more: Rules): Seat[] {
  checkShape(options);
  const problems = hostProblems(options as Readonly<Fields>, more);
  const read = isRecord(options.servers)
    ? readServers(options.servers, options.env ?? {})
    : { seats: [], problems: [] };
  refuseAll([...problems, ...read.problems]);
  return read.seats;
}

/** Everything a client is given is made for its server alone; limits count on over all of its clients. */
function createOpen(
  { server, target }: Seat,
  { connect = {}, client, log }: HostOptions,
  ports: AnswerPorts,
  fault: (server: string, error: Error) => void,
  open: OpenClient,
): () => Client {
  const answers = answersFor(server, ports);
  return () => {
    if (target instanceof TenonError) throw target;
    const own = typeof connect === 'function' ? connect(server) : connect;
    if (own !== connect) refuseAll(clientProblems(`connect(${JSON.stringify(server)})`, own));
    const options: ConnectOptions = {
      ...own,
      ...(client && { client }),
      answers,
      fault: (error) => fault(server, error),
      ...(log && { log: (entry) => log(server, entry) }),
    };
    return open(target, options, server);
  };
}

interface Roof {
  readonly members: readonly Member[];
  readonly feed: Feed;
  readonly judge: Judge;
  readonly deadlines: Deadlines;
  readonly ending: AbortController;
}

function createRoof(options: HostOptions, { members, feed, judge, deadlines, ending }: Roof): Host {
  const lists = createLists(members);
  const tools = createTools(options, members, lists, judge, ending.signal);
  const close: Host['close'] = async (closing) => {
    ending.abort(new TenonError('connection-closed', 'The host is closed.'));
    await Promise.all(members.map((member) => member.close(closing)));
    feed.end();
    if (options.deadlines === undefined) deadlines.end();
  };
  return {
    servers: members.map(({ server }) => server),
    tools,
    resources: {
      list: lists.resources,
      templates: lists.templates,
      async read(address, call) {
        if (typeof address !== 'string') throw nameless('resource');
        const { member, own } = seated(members, addressedBy(address), `resource at ${address}`);
        return member.use((client) => client.resources.read(own, call));
      },
    },
    prompts: {
      list: lists.prompts,
      async get(name, given = {}, call) {
        const { member, own } = await found(members, lists.promptNames, lists.prompts, name, 'prompt');
        return member.use((client) => client.prompts.get(own, given, call));
      },
    },
    instructions: () =>
      members.flatMap(({ server, connected }) => {
        const text = connected?.instructions;
        return text === undefined ? [] : [{ server, text }];
      }),
    health: () => members.map((member) => member.health()),
    changes: () => feed.open(),
    rootsChanged: () => members.forEach(({ connected }) => connected?.rootsChanged()),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function createTools(
  options: HostOptions,
  members: readonly Member[],
  lists: Lists,
  judge: Judge,
  ending: AbortSignal,
): Host['tools'] {
  const { tool: hook } = hooksOf(options);
  return {
    list: lists.tools,
    async call(name, given = {}, call = {}) {
      const { member, own } = await found(members, lists.toolNames, lists.tools, name, 'tool');
      const { server } = member;
      // Nobody is asked for what cannot be done any more.
      ending.throwIfAborted();
      const definition = structuredClone(lists.toolNames.item(name));
      const value = written(given);
      const ask =
        hook &&
        ((shown: Fields, signal: AbortSignal) => hook({ server, tool: own, arguments: shown, definition, signal }));
      const judged = await judge({ server, kind: 'tool', tool: own, value, signal: call.signal, ask, fits: isRecord });
      if (judged.is === 'denied') throw ending.aborted ? ending.reason : denied(server, own, judged);
      return member.use((client) => client.tools.call(own, judged.value, call));
    },
  };
}

/** Arguments as they are sent: what was allowed is what leaves, whatever becomes of the caller's object meanwhile. */
function written(given: Fields): Fields {
  if (!isRecord(given))
    throw new TenonError('invalid-outgoing', 'The arguments of a tool are no object.', {
      hint: 'Write { name: value }.',
    });
  try {
    return JSON.parse(JSON.stringify(given)) as Fields;
  } catch (cause) {
    throw new TenonError('invalid-outgoing', 'The tool was not called: its arguments cannot be written as JSON.', {
      cause,
    });
  }
}

/** Where a name leads. One with a digest that is not known yet is looked for in the lists. */
async function found<T extends { readonly name: string }>(
  members: readonly Member[],
  names: Catalogue<T>,
  list: () => Promise<unknown>,
  name: string,
  what: string,
): Promise<{ member: Member; own: string }> {
  if (typeof name !== 'string') throw nameless(what);
  if (names.origin(name) === undefined && hasDigest(name)) await list();
  return seated(members, names.origin(name), `${what} ${JSON.stringify(name)}`);
}

function seated(members: readonly Member[], origin: Origin | undefined, what: string): { member: Member; own: string } {
  const member = members.find(({ server }) => server === origin?.server);
  if (member !== undefined && origin !== undefined) return { member, own: origin.own };
  throw new TenonError('invalid-argument', `No server of this host has the ${what}.`, {
    hint: 'Use a name or an address as the lists of the host give it.',
  });
}

const nameless = (what: string): TenonError =>
  new TenonError('invalid-argument', `No ${what} was named.`, {
    hint: `Pass the ${what === 'resource' ? 'address' : 'name'} of one as a text, as the lists of the host give it.`,
  });

function denied(server: string, tool: string, { by, reason }: Judged<unknown> & { is: 'denied' }): TenonError {
  const text = `The tool ${tool} of ${server} was not run: ${reason}.`;
  if (by === 'cancelled') return new TenonError('cancelled', text, { details: { server, tool } });
  const mend =
    by === 'no-hook' ? { hint: "Pass consent: { tool: (request) => … } to createHost, or consent: 'allow-all'." } : {};
  return new TenonError('denied', text, { ...mend, details: { server, tool, by } });
}
