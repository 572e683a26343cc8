/** Reads and writes messages of revisions with sessions: `initialize` has identified the client, so a message is method and params. */

import { standardCodes } from '../jsonrpc/errors.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import { accepted, readParams, readResultShape, refused, writeParams, writeResultShape } from './checking.ts';
import { errorNumber, expectedText } from './errors.ts';
import { unwrapped } from './extensions/plain-value.ts';
import { objectContent } from './fitting/structured.ts';
import type { Reading } from './neutral.ts';
import { requiredUrls } from './required-urls.ts';
import type { Revision, Wire } from './revision.ts';

const nothing: Fields = Object.freeze({});
const metaOf = (params: Fields): Fields => (isRecord(params._meta) ? params._meta : nothing);

export const sessionWire: Wire = {
  readRequest(revision, from, method, params) {
    const read = readParams(revision, from, 'requests', method, params);
    if (!read.ok) return read;
    return accepted({
      method,
      params: read.value,
      meta: metaOf(read.value),
      introduction: undefined,
      round: undefined,
    });
  },

  readNotification(revision, from, method, params) {
    const read = readParams(revision, from, 'notifications', method, params);
    return read.ok ? accepted({ method, params: read.value }) : read;
  },

  readResult(revision, asker, method, result) {
    const read = readResultShape(revision, asker, method, result);
    if (!read.ok) return read;
    const { task } = read.value;
    // Only a call that was sent as a task is answered by one, and only such an answer has no content.
    return accepted(
      isRecord(task) && read.value.content === undefined
        ? { resultType: 'task', task }
        : { resultType: 'complete', result: read.value },
    );
  },

  writeRequest(revision, from, { method, params }) {
    return withoutWrapper(revision, method, writeParams(revision, from, 'requests', method, params));
  },

  writeNotification(revision, from, { method, params }) {
    return withoutWrapper(revision, method, writeParams(revision, from, 'notifications', method, params));
  },

  writeResult(revision, asker, method, outcome) {
    if (outcome.resultType === 'input_required')
      return refused('internal-error', 'input_required results do not exist in sessions');
    if (outcome.resultType === 'task') return writeResultShape(revision, asker, method, { task: outcome.task });
    if (outcome.extensionType !== undefined)
      return refused('internal-error', `Where there are sessions, results have no types: ${outcome.extensionType}`);
    const { fitting } = revision;
    const result =
      method === 'tools/call' && fitting.objectOutput
        ? objectContent(outcome.result, outcome.outputRoot)
        : outcome.result;
    return withoutWrapper(
      revision,
      method,
      writeResultShape(revision, asker, method, fitting.results.get(method)?.(result) ?? result),
    );
  },

  writeError(revision, error) {
    const code = errorNumber(revision.errorNumbers, error);
    const { message, data } = expectedText(revision.errorTexts ?? {}, error);
    return {
      code: allowedCode(revision, code, error.data),
      message,
      ...(data !== undefined && { data }),
    };
  },
};

/** Unwraps params and results that are not objects; only methods of extensions have them. */
function withoutWrapper<T extends Fields | undefined>(
  { extended }: Revision,
  method: string,
  written: Reading<T>,
): Reading<T> {
  if (!extended?.messages.has(method) || !written.ok || written.value === undefined) return written;
  return accepted(unwrapped(written.value) as T);
}

/** The number for required URL elicitations is sent only with them, even if a handler throws it. */
function allowedCode({ errorNumbers }: Revision, code: number, data: unknown): number {
  if (code !== errorNumbers['url-elicitation-required'] || requiredUrls(data) !== undefined) return code;
  return standardCodes['internal-error'];
}
