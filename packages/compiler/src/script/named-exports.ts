/** Exports the members of `object` with valid names: `export const { a, b } = object;` */
export function createNamedExports(object: string, names: readonly string[]): string {
  const found = names.filter((name) => name !== object && canBeExported(name));
  return found.length > 0 ? `export const { ${found.join(', ')} } = ${object};\n` : '';
}

const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval
  export extends false finally for function if implements import in instanceof interface let
  new null package private protected public return static super switch this throw true try typeof
  var void while with yield`.split(/\s+/),
);

function canBeExported(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !reserved.has(name) && name !== '__proto__';
}
