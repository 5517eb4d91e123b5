/** The addresses of the page's first script and of all that it imports; in a browser there are none. */
declare module 'virtual:first-script' {
  const addresses: readonly string[];
  export default addresses;
}
