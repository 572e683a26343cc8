/** Every official example is valid by its definition, and messages keep their meaning when they are read and written again. */
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../src/lib/values/is.ts';
import { errorName } from '../../../src/protocol/error-names.ts';
import type { RpcErrorReason } from '../../../src/protocol/errors.ts';
import { metaKeys } from '../../../src/protocol/exchange-wire.ts';
import { explain } from '../../../src/protocol/explain.ts';
import { anything, type Shape, shapeOf } from '../../../src/protocol/model/shape.ts';
import type { Incoming, Outcome, Outgoing, Reading } from '../../../src/protocol/neutral.ts';
import { newest as model } from '../../../src/protocol/revisions/models.ts';
import { newestExchange as revision } from '../../../src/protocol/revisions/revisions.ts';
import { absence, type Example, officialExamples } from './specification.ts';

const { wire } = revision;
const examples = officialExamples(revision.id);
const titled = (each: Example): Example & { title: string } => ({
  ...each,
  title: `${each.definition}/${each.file.replace('.json', '')}`,
});

/** Definitions that have another name in our model. */
const ourNames: Readonly<Record<string, string>> = {
  CreateMessageRequest: 'SamplingInputRequest',
  ElicitRequest: 'ElicitationInputRequest',
  ElicitRequestURLParams: 'ElicitRequestUrlParams',
  ListRootsRequest: 'RootsInputRequest',
};

/** Our name of each official error, and the shape of its data if the specification defines one. */
const officialErrors: Readonly<Record<string, { name: RpcErrorReason; shape?: Shape }>> = {
  HeaderMismatchError: { name: 'header-mismatch' },
  InternalError: { name: 'internal-error' },
  InvalidParamsError: { name: 'invalid-params' },
  MethodNotFoundError: { name: 'method-not-found' },
  MissingRequiredClientCapabilityError: {
    name: 'missing-client-capability',
    shape: shapeOf('MissingRequiredClientCapabilityData'),
  },
  ParseError: { name: 'parse-error' },
  UnsupportedProtocolVersionError: {
    name: 'unsupported-protocol-version',
    shape: shapeOf('UnsupportedProtocolVersionData'),
  },
};

const clientRequests = Object.entries(model.client.requests);
const notifications = Object.entries({ ...model.client.notifications, ...model.server.notifications });
const methodNamed = (table: ReadonlyArray<[string, { name: string }]>, name: string): string | undefined =>
  table.find(([, entry]) => entry.name === name)?.[0];

type Kind =
  | { readonly is: 'request' | 'result' | 'notification'; readonly method: string }
  | { readonly is: 'error' }
  | { readonly is: 'shape'; readonly name: string };

function kindOf(definition: string): Kind {
  const [, name = '', suffix = ''] = /^(.*?)(Request|Notification|ResultResponse|Result|Error)$/.exec(definition) ?? [];
  if (suffix === 'Error') return { is: 'error' };
  if (definition === 'InputRequiredResult') return { is: 'result', method: 'tools/call' };
  const method = methodNamed(suffix === 'Notification' ? notifications : clientRequests, name);
  if (method === undefined) return { is: 'shape', name: ourNames[definition] ?? definition };
  if (suffix === 'Notification') return { is: 'notification', method };
  return { is: suffix === 'Request' ? 'request' : 'result', method };
}

const classified = examples.map(titled).map((example) => ({ ...example, kind: kindOf(example.definition) }));
const shapes = classified.flatMap(({ kind, ...each }) => (kind.is === 'shape' ? [{ ...each, name: kind.name }] : []));
const errors = classified.filter(({ kind }) => kind.is === 'error');
const ofKind = (is: 'request' | 'result' | 'notification') =>
  classified.flatMap(({ kind, title, value, definition }) => {
    if (kind.is !== is) return [];
    const whole = value as { params?: Fields; result?: Fields };
    const body = is === 'result' ? (definition.endsWith('Response') ? whole.result : whole) : whole.params;
    return [{ title, method: kind.method, body: body as Fields }];
  });

function valueOf<T>(reading: Reading<T>): T {
  if (!reading.ok) throw new Error(reading.refusal.message);
  return reading.value;
}

const senderOf = (method: string): 'client' | 'server' =>
  method in model.client.notifications && !(method in model.server.notifications) ? 'client' : 'server';

const metaOf = ({ _meta = {} }: Fields = {}): Fields => _meta as Fields;

/** The request as a caller would make it: without the envelope, which the wire writes. */
function outgoing({ method, params, introduction, round }: Incoming): Outgoing {
  const { _meta, inputResponses: _, requestState: __, ...own } = params;
  const envelope: readonly string[] = Object.values(metaKeys);
  const meta = Object.fromEntries(Object.entries(_meta as Fields).filter(([key]) => !envelope.includes(key)));
  return {
    method,
    params: { ...own, _meta: meta },
    ...(introduction && { introduction }),
    ...(round && { round }),
  };
}

const writeResult = (method: string, outcome: Outcome): Fields =>
  valueOf(
    wire.writeResult(revision, 'client', method, outcome, outcome.resultType === 'complete' ? outcome.by : undefined),
  );

/** Some examples lack required fields, which the wire fills in. */
const withDefaults = (method: string, result: Fields): Fields =>
  method === 'resources/read' ? { ttlMs: 0, cacheScope: 'private', ...result } : result;

describe('the official examples', () => {
  it('are all checked, and each by a shape that exists', (context) => {
    // The others have no example then.
    if (absence !== undefined) return context.skip(absence);
    expect(examples.length).toBeGreaterThan(100);
    expect(shapes.map(({ name }) => name).filter((name) => !(name in model.shapes))).toEqual([]);
  });

  it.each(shapes)('are valid: $title', ({ name, value }) => {
    expect(explain(model, { is: 'named', name }, value, name)).toBeUndefined();
  });

  it.each(ofKind('request'))('of requests are read and written unchanged: $title', ({ method, body }) => {
    const incoming = valueOf(wire.readRequest(revision, 'client', method, body));
    const written = valueOf(wire.writeRequest(revision, 'client', outgoing(incoming)));
    expect(written).toEqual(body);
    expect(valueOf(wire.readRequest(revision, 'client', method, written))).toEqual(incoming);
  });

  it.each(ofKind('notification'))('of notifications are read and written unchanged: $title', ({ method, body }) => {
    const from = senderOf(method);
    const notification = valueOf(wire.readNotification(revision, from, method, body));
    const { [metaKeys.subscription]: _, ...meta } = metaOf(notification.params);
    const written = valueOf(
      wire.writeNotification(revision, from, { ...notification, params: { ...notification.params, _meta: meta } }),
    );
    expect({ _meta: {}, ...written }).toEqual({ _meta: {}, ...body });
    expect(valueOf(wire.readNotification(revision, from, method, written)).subscription).toEqual(
      notification.subscription,
    );
  });

  it.each(ofKind('result'))('of results are read and written unchanged: $title', ({ method, body }) => {
    const outcome = valueOf(wire.readResult(revision, 'client', method, body));
    const written = writeResult(method, outcome);
    expect(written).toEqual(withDefaults(method, body));
    expect(valueOf(wire.readResult(revision, 'client', method, written))).toEqual(outcome);
  });

  it.each(errors)('of errors have a name in our table: $title', ({ definition, value }) => {
    const { code, data } = ((value as { error?: Fields }).error ?? value) as { code: number; data?: unknown };
    const { name, shape } = officialErrors[definition] ?? {};
    expect(errorName(revision.errorNumbers, code)).toBe(name);
    expect(explain(model, shape ?? anything, data ?? null, 'data')).toBeUndefined();
  });
});
