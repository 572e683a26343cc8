/** SHA-256 and salts with Node's synchronous functions. */
import { cryptoModule } from '../../process/builtins.ts';

/** Of a text of ASCII characters, or of bytes read as `latin1`. */
export const sha256 = (text: string): string => cryptoModule().hash('sha256', Buffer.from(text, 'latin1'));

export const newSalt = (): string => cryptoModule().randomBytes(16).toString('hex');
