/** What anyone can send to the recipes of examples/deploy. */
import { expect, it } from 'vitest';
import { type FunctionUrlEvent, toRequest } from '../../../examples/deploy/lambda/function-url.ts';

it.each(['GET', 'HEAD'])('a function of Lambda gets a %s with a body as one without [S24]', (method) => {
  const event: FunctionUrlEvent = {
    rawPath: '/mcp',
    rawQueryString: '',
    headers: { host: 'mcp.example.com' },
    requestContext: { http: { method } },
    body: 'x',
    isBase64Encoded: false,
  };
  const request = toRequest(event);
  expect([request.method, request.body, request.url]).toEqual([method, null, 'https://mcp.example.com/mcp']);
});
