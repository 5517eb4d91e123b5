globalThis.classic = 'classic';
