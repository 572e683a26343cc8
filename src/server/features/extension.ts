/** Serves a method of an extension: the caller has it or has not, params and results are held against their schemas. */

import { TenonError } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../jsonrpc/promise-like.ts';
import { rpcError } from '../../protocol/errors.ts';
import { type Extension, isOfKind, type Notification } from '../../protocol/extensions/extension.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator, type SchemaReading } from '../../schema/reading.ts';
import type { CallerFacts, Context } from '../definition/context.ts';
import type { ExtensionContext } from '../definition/extension.ts';
import { type Invocation, whenSettled } from './invocation.ts';
import { limitTime } from './time-limit.ts';

type Read = SchemaReading['validate'];

export interface ServedMethod {
  readonly extension: Extension;
  readonly name: string;
  readonly readParams: Read;
  readonly readResult: Read;
  readonly readKinds: ReadonlyMap<string, Read>;
  readonly handler: (params: unknown, context: ExtensionContext) => unknown;
  readonly cache: CacheHint | undefined;
  readonly timeoutMs: number | undefined;
}

export function serveMethod(invocation: Invocation, served: ServedMethod): void {
  const { extension, name, readParams, handler } = served;
  const settings = settingsOf(extension, invocation.context.caller);
  if (settings === undefined && extension.undeclared !== 'served')
    return invocation.finish(extension.undeclared === 'refused' ? undeclared(extension) : absent(name));
  limitTime(invocation, served.timeoutMs);
  const { _meta, ...given } = invocation.call.params;
  const fail = (error: unknown): void => invocation.fail(error);
  whenSettled(
    () => readParams(given),
    (verdict) => {
      if (!verdict.ok)
        return invocation.finish(
          rpcError('invalid-params', `Invalid params for ${name}: ${issuesText(verdict.issues)}`),
        );
      const context = new ExtensionCall(invocation, extension, settings);
      whenSettled(
        () => handler(verdict.value, context),
        (result) => answer(invocation, served, result),
        fail,
      );
    },
    fail,
  );
}

const settingsOf = ({ id }: Extension, { capabilities }: CallerFacts): Fields | undefined =>
  id === undefined ? undefined : capabilities.extensions?.[id];

const absent = (name: string) => rpcError('method-not-found', `Method not found: ${name}`);

const undeclared = ({ id = '' }: Extension) =>
  rpcError('missing-client-capability', `The client has to declare the extension ${id}`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  });

/** What is sent is what the handler gave: a schema that transforms does so where the result is read. */
function answer(invocation: Invocation, { name, readResult, readKinds, cache }: ServedMethod, given: unknown): void {
  const kind = isOfKind(given) ? given.kind : undefined;
  const result = isOfKind(given) ? given.value : given;
  const read = kind === undefined ? readResult : readKinds.get(kind);
  if (!isRecord(result) || read === undefined)
    throw new Error(
      `${name} gave ${kind === undefined ? 'no object' : `a result of the kind ${kind}, which it has not`}.`,
    );
  whenSettled(
    () => read(result),
    (verdict) => {
      if (!verdict.ok) throw new Error(`${name} gave a result that breaks its schema: ${issuesText(verdict.issues)}`);
      const done = { kind: 'done', result, cache: cache ?? invocation.cache } as const;
      invocation.finish(kind === undefined ? done : { ...done, resultType: kind });
    },
    (error) => invocation.fail(error),
  );
}

/** The context of a call, as a handler of an extension sees it. */
class ExtensionCall implements ExtensionContext {
  readonly #invocation: Invocation;
  readonly #extension: Extension;
  readonly settings: Fields | undefined;

  constructor(invocation: Invocation, extension: Extension, settings: Fields | undefined) {
    this.#invocation = invocation;
    this.#extension = extension;
    this.settings = settings;
  }

  get signal(): AbortSignal {
    return this.#invocation.context.signal;
  }

  get caller(): CallerFacts {
    return this.#invocation.context.caller;
  }

  get meta(): Context['meta'] {
    return this.#invocation.context.meta;
  }

  get log(): Context['log'] {
    return this.#invocation.context.log;
  }

  get progress(): Context['progress'] {
    return this.#invocation.context.progress;
  }

  get notify(): ExtensionContext['notify'] {
    return (news, params) => {
      const { context, ports } = this.#invocation;
      const { id } = this.#extension;
      if (context.over || (id !== undefined && this.settings === undefined)) return;
      ports.emit({ method: news.method, params: tellable(news, params) });
    };
  }
}

/** Params of news that is about to be told. Throws `invalid-outgoing` where they break their schema. */
export function tellable({ method, params: schema }: Notification, params: unknown): Fields {
  const verdict = readValidator(schema, method)(params);
  if (isPromiseLike(verdict)) throw untold(method, 'its schema is asynchronous, which news cannot wait for');
  if (!verdict.ok) throw untold(method, issuesText(verdict.issues));
  if (!isRecord(params)) throw untold(method, 'its params are no object');
  return params;
}

const untold = (method: string, why: string): TenonError =>
  new TenonError('invalid-outgoing', `${method} cannot be told: ${why}.`);
