/**
 * Those of the rules that typescript-eslint recommends which a selector can say, for its own come with
 * TypeScript’s compiler. The names are its own, so that a project’s config says them too.
 */
import type { Rule } from 'eslint';

interface TypedRule {
  /** What offends, as esquery writes it. */
  readonly selector: string;
  readonly message: string;
  /** What an offender becomes, where that is certain. */
  readonly mend?: (text: string) => string;
}

const rules = {
  'no-empty-object-type': {
    selector: ':not(TSIntersectionType) > TSTypeLiteral[members.length=0]',
    message: '{} is every value but null and undefined: “object” or “unknown” says what is meant',
  },
  'no-extra-non-null-assertion': {
    selector: 'TSNonNullExpression > TSNonNullExpression.expression',
    message: 'One ! is enough',
    mend: (text) => text.slice(0, -1),
  },
  'no-non-null-asserted-optional-chain': {
    selector: 'ChainExpression > TSNonNullExpression.expression',
    message: 'What ends in ?. may be undefined, and ! says that it never is',
  },
  'no-unsafe-function-type': {
    selector: 'TSTypeReference > Identifier.typeName[name="Function"]',
    message: 'Function takes and gives anything: write what is taken and given, as in () => void',
  },
  'no-wrapper-object-types': {
    selector:
      'TSTypeReference > Identifier.typeName[name=/^(?:BigInt|Boolean|Number|Object|String|Symbol)$/]',
    message: 'This is the object around a value; the type of values is written small',
    mend: (text) => text.toLowerCase(),
  },
  'prefer-as-const': {
    selector: 'TSAsExpression[expression.type="Literal"] > TSLiteralType.typeAnnotation',
    message: 'The same is said by “as const”',
    mend: () => 'const',
  },
} as const satisfies Readonly<Record<string, TypedRule>>;

const plugin = '@typescript-eslint';

export const typedRules = {
  plugins: {
    [plugin]: {
      rules: Object.fromEntries(
        Object.entries<TypedRule>(rules).map(([name, rule]) => [name, createRule(rule)]),
      ),
    },
  },
  rules: Object.fromEntries(
    Object.keys(rules).map((name) => [`${plugin}/${name}`, 'warn' as const]),
  ),
};

function createRule({ selector, message, mend }: TypedRule): Rule.RuleModule {
  return {
    meta: { type: 'suggestion', ...(mend && { fixable: 'code' }), schema: [] },
    create: (context) => ({
      [selector]: (node: Rule.Node) => {
        const fix =
          mend &&
          ((fixer: Rule.RuleFixer) =>
            fixer.replaceText(node, mend(context.sourceCode.getText(node))));
        context.report({ node, message, ...(fix && { fix }) });
      },
    }),
  };
}
