/** The smallest server on stdio with zod: what the schema library alone adds to the bare one. */
import * as z from 'zod';
import { serve } from './bare-loop.mjs';

const schema = z.object({ a: z.number(), b: z.number() });

serve((given) => {
  const { a, b } = schema.parse(given);
  return String(a + b);
});
