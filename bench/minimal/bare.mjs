/** The smallest server on stdio, without any library. */
import { serve } from './bare-loop.mjs';

serve(({ a, b }) => {
  if (typeof a !== 'number' || typeof b !== 'number') throw new Error('a and b must be numbers');
  return String(a + b);
});
