import { join } from 'path';

export default {
  resolve: {
    alias: [
      { find: 'assets', replacement: join(import.meta.dirname, 'src', 'assets') },
      { find: /^~styles\//, replacement: '/src/styles/' },
    ],
  },
};
