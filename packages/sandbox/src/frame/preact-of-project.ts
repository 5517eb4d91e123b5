/** What Preact's refresh runtime imports as `preact`; its functions are put into the real options later. */
export const options = {};
export const Component = window.__vitrine?.preact?.Component;
