/** URLs of the early-editor script and all its imports. Empty in the browser build. */
declare module 'virtual:first-script' {
  const addresses: readonly string[];
  export default addresses;
}
