/** Guards standard output as soon as it is imported: for a program whose other modules print while they load. */
import { guardStdout } from './stdout-guard.ts';

guardStdout();
