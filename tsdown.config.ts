import { defineConfig } from 'tsdown';

const messageTypes = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'].map((id) => [
  `protocol/${id}`,
  `src/protocol/generated/types/${id}.ts`,
]);

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    server: 'src/server/index.ts',
    client: 'src/client/index.ts',
    protocol: 'src/protocol/index.ts',
    'json-schema': 'src/json-schema/index.ts',
    ...Object.fromEntries(messageTypes),
  },
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  dts: true,
  clean: true,
  hash: false,
  outDir: 'dist',
  copy: [{ from: 'src/protocol/generated/schema', to: 'dist' }],
});
