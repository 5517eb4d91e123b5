export function Hello({ name }: { name: string }) {
  return <i>Hello {name}</i>;
}
