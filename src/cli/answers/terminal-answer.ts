/** Asks the person at the terminal a question of a stored call. */
import type { ElicitFormRequest, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { CreateMessageRequestParams } from '../../protocol/generated/types/records.ts';
import type { Question } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import { terminalHandlers } from '../terminal/handlers.ts';
import { usageError } from '../usage-error.ts';
import type { Answer } from './question.ts';

export async function answerInTerminal({ method, params }: Question, io: Io): Promise<Answer> {
  const { elicitForm, elicitUrl, sample } = terminalHandlers(io);
  const context = { signal: io.signal, reportProgress: () => {} };
  const request = params as unknown;
  try {
    const result =
      method === 'sampling/createMessage'
        ? await sample?.(request as CreateMessageRequestParams, context)
        : params.mode === 'url'
          ? await elicitUrl?.(request as ElicitUrlRequest, context)
          : await elicitForm?.(request as ElicitFormRequest, context);
    if (result === undefined) throw usageError(`${method} cannot be answered here.`, 'Write the answer after the id.');
    return { result: { ...result } };
  } catch (error) {
    if (error instanceof RpcError) return { refusal: error.message };
    throw error;
  }
}
