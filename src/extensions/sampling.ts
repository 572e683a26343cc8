/** Sampling in the other direction: a server with a model samples for its clients, as one founding document has it. */
import { defineMethod, defineVendorMethods } from '../protocol/extensions/extension.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/generated/types/records.ts';
import type { Reading } from '../protocol/neutral.ts';
import { newestSession } from '../protocol/revisions/revisions.ts';
import { samplingMethod, samplingProblem } from '../protocol/sampling.ts';
import type { StandardResult, StandardSchema } from '../schema/standard.ts';

const { wire } = newestSession;

/** A schema that reads by the checkers of the protocol. */
const schemaOf = <T>(read: (value: unknown) => Reading<unknown>, problemOf?: (value: T) => string | undefined) => {
  const validate = (value: unknown): StandardResult<T> | Promise<StandardResult<T>> => {
    const reading = read(value);
    if (!reading.ok) return reading.refusal.explain().then(({ text }) => ({ issues: [{ message: text }] }));
    const problem = problemOf?.(value as T);
    return problem === undefined ? { value: value as T } : { issues: [{ message: problem }] };
  };
  return { '~standard': { version: 1, vendor: 'tenon', validate } } as StandardSchema<T>;
};

/**
 * `sampling/createMessage` as a request of the client. A server that serves it declares the capability `sampling`.
 *
 * ```ts
 * createServer({ name: 'x', version: '1', extensions: [serveExtension(serverSampling, { methods: { createMessage } })] });
 * const client = await connect(target, { extensions: [serverSampling] });
 * await client.request(serverSampling.methods.createMessage, { messages, maxTokens: 100 });
 * ```
 */
export const serverSampling = /* @__PURE__ */ defineVendorMethods({
  methods: {
    createMessage: /* @__PURE__ */ defineMethod(samplingMethod, {
      params: /* @__PURE__ */ schemaOf<CreateMessageRequestParams>(
        (params) => wire.readRequest(newestSession, 'server', samplingMethod, params),
        (params) => samplingProblem({ ...params }),
      ),
      result: /* @__PURE__ */ schemaOf<CreateMessageResult>((result) =>
        wire.readResult(newestSession, 'server', samplingMethod, result),
      ),
    }),
  },
});
