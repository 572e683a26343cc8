/** A tool for each kind of result: a table with an app, an image, a sound, and a resource within the result. */
import { deflateSync } from 'node:zlib';
import { content, tool } from 'tenon';
import { z } from 'zod';
import { forecastApp } from './app.ts';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const readOnly = { readOnlyHint: true };
const city = z.string().min(1).describe('A city, such as Oslo');

/** The same for a city every time. */
const degreesOf = (name: string): number[] => days.map((_, day) => ([...name].length * 7 + day * day * 3) % 25);

export const kinds = {
  forecast: tool(
    {
      title: 'Forecast',
      description: 'The days of a week as a table, with an app',
      _meta: { ui: { resourceUri: forecastApp } },
      annotations: readOnly,
      inputSchema: z.object({ city }),
      outputSchema: z.object({ days: z.array(z.object({ day: z.enum(days), degrees: z.number() })) }),
    },
    (asked) => {
      const degrees = degreesOf(asked.city);
      return { days: days.map((day, at) => ({ day, degrees: degrees[at] ?? 0 })) };
    },
  ),
  chart: tool(
    {
      title: 'Chart',
      description: 'The week as an image',
      annotations: readOnly,
      inputSchema: z.object({ city }),
    },
    (asked) => content({ type: 'image', data: bars(degreesOf(asked.city)).toString('base64'), mimeType: 'image/png' }),
  ),
  chime: tool(
    {
      title: 'Chime',
      description: 'A sound of half a second',
      annotations: readOnly,
      inputSchema: z.object({ hertz: z.number().min(100).max(2000).default(440) }),
    },
    ({ hertz }) => content({ type: 'audio', data: sound(hertz).toString('base64'), mimeType: 'audio/wav' }),
  ),
  leaflet: tool(
    {
      title: 'Leaflet',
      description: 'A text in Markdown, as a resource within the result',
      annotations: readOnly,
      inputSchema: z.object({ city }),
    },
    (asked) =>
      content({
        type: 'resource',
        resource: {
          uri: `leaflet://${encodeURIComponent(asked.city)}`,
          mimeType: 'text/markdown',
          text: `# ${asked.city}\n\n- Bring a coat.\n- Take the **tram**.\n`,
        },
      }),
  ),
};

const height = 64;
const barWidth = 20;

/** A PNG with a bar for each value. */
function bars(values: readonly number[]): Buffer {
  const width = values.length * barWidth;
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3, 0xff);
    row[0] = 0;
    for (let x = 0; x < width; x++) {
      const value = values[Math.floor(x / barWidth)] ?? 0;
      const isGap = x % barWidth < 3;
      if (!isGap && height - y <= value * 2 + 4) row.set([0x2f, 0x6f, 0xde], 1 + x * 3);
    }
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const packed = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** `zlib.crc32` came with Node 22. */
function crc32(bytes: Buffer): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb8_8320 : 0);
  }
  return (sum ^ 0xffff_ffff) >>> 0;
}

const samplesPerSecond = 8000;

/** A WAV file with a tone that fades out. */
function sound(hertz: number): Buffer {
  const samples = samplesPerSecond / 2;
  const file = Buffer.alloc(44 + samples);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(samplesPerSecond, 24);
  file.writeUInt32LE(samplesPerSecond, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples, 40);
  for (let at = 0; at < samples; at++) {
    const loud = 1 - at / samples;
    file[44 + at] = 128 + Math.round(100 * loud * Math.sin((2 * Math.PI * hertz * at) / samplesPerSecond));
  }
  return file;
}
