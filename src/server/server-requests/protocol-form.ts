/** A request that comes from another server: it is sent as it is, and its answer is passed on as it is. */
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { isElicited, isRoots, isSampled } from '../../protocol/generated/result-kinds.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { ClientFeature } from '../definition/context.ts';

/** In the place of a request of the author: the request in the form of the protocol. */
export class ProtocolForm {
  readonly request: InputRequest;

  constructor(request: InputRequest) {
    this.request = request;
  }
}

/** A request that no client knows has no form. */
export function fromProtocolForm({ request: { method, params } }: ProtocolForm) {
  const needs = neededFor(method, params ?? {});
  if (needs === undefined) return undefined;
  const mode = needs === 'elicitation.form' ? { mode: 'form' } : {};
  const own = params === undefined ? {} : { params: { ...mode, ...withoutProtocolKeys(params) } };
  return { method, ...own, needs, read: (answer: unknown) => readWhole(method, answer) };
}

/** The other server validates the content of an answer. */
export function readWhole(method: string, answer: unknown) {
  const isAnswer = method === 'roots/list' ? isRoots : method === 'sampling/createMessage' ? isSampled : isElicited;
  if (isAnswer(answer)) return { ok: true, value: answer } as const;
  return { ok: false, problem: `expected a result of ${method}` } as const;
}

function neededFor(method: string, { mode, tools, toolChoice }: Fields): ClientFeature | undefined {
  if (method === 'roots/list') return 'roots';
  if (method === 'sampling/createMessage')
    return tools === undefined && toolChoice === undefined ? 'sampling' : 'sampling.tools';
  if (method !== 'elicitation/create') return undefined;
  return mode === 'url' ? 'elicitation.url' : 'elicitation.form';
}

/** Keys of `_meta`, and `task`, that belong to the connection that the request came from. */
function withoutProtocolKeys(sent: Fields): Fields {
  const { _meta, task: _, ...params } = sent;
  if (!isRecord(_meta)) return params;
  const kept = Object.entries(_meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(reserved));
  return kept.length === 0 ? params : { ...params, _meta: Object.fromEntries(kept) };
}

const reserved = 'io.modelcontextprotocol/';
