/** The two tools that every server has, and their schemas: the same for all, bare loops included. */
import { z } from 'zod';

export const card = { name: 'bench-server', version: '1.0.0' };

export const add = {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String(a + b),
};

export const echo = {
  name: 'echo',
  description: 'Gives back a message',
  schema: z.object({ message: z.string() }),
  run: ({ message }) => message,
};

export const tools = [add, echo];

/** What the handlers of most libraries return. */
export const textResult = (text) => ({ content: [{ type: 'text', text }] });
