/** Stands in for `preact` in the refresh runtime; hooks in `options` are added to the real options later. */
export const options = {};
export const Component = window.__vitrine?.preact?.Component;
