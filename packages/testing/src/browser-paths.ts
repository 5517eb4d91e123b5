import paths from './browser-paths.json' with { type: 'json' };

const usual = process.platform === 'darwin' ? paths.darwin : paths.linux;

/** Chromium's program. `CHROMIUM` overrides the usual path. */
export const chromiumPath = process.env['CHROMIUM'] ?? usual.chromium;

/** Firefox's program. `FIREFOX` overrides the usual path. */
export const firefoxPath = process.env['FIREFOX'] ?? usual.firefox;
