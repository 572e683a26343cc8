/** The founding documents' elicitation: the request has messages, and the result has a message of the user. */
import { type Model, request } from '../model/model.ts';
import { list, open, record, string, word } from '../model/shape.ts';

export const model: Model = {
  shapes: {
    FoundingMessage: record({ role: word('user', 'assistant', 'system'), content: record({ type: string }) }),
    FoundingElicitParams: record({ messages: list('FoundingMessage'), 'metadata?': open }),
  },
  client: { requests: {}, notifications: {} },
  server: {
    requests: {
      'elicitation/createMessage': request('FoundingElicit', 'FoundingElicitParams', 'FoundingMessage'),
    },
    notifications: {},
  },
};
