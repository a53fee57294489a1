/** TypeScript, with the types of `$` and the libraries of JavaScript that strategies have. It runs in a worker. */

import ts from 'typescript'
import type { Mark, Meaning, Suggestion, Suggestions } from '../editor-types.ts'
import type { Described } from './messages.ts'

const strategy = '/strategy.js'
/** A strategy is the body of an async function, in a file of its own. */
const head = 'export {}; async function strategy() {'
const foot = '\n}'

/** The names of modules that the types of `$` import. */
const modules: Record<string, string> = {
  '@tickwright/client/sandbox': '/client/sandbox.ts',
  'trading-signals': '/trading-signals/index.d.ts',
}

/** More names than these help nobody. */
const mostNames = 500

export class Checker {
  readonly #service: ts.LanguageService
  readonly #files: Record<string, string>
  #code = ''
  #version = 0

  constructor(files: Record<string, string>, libraries: readonly string[]) {
    this.#files = files
    this.#service = ts.createLanguageService(this.#host(libraries))
  }

  /** The names that can stand at an offset. */
  suggest(code: string, offset: number): Suggestions | null {
    this.#use(code)
    const found = this.#service.getCompletionsAtPosition(strategy, offset + head.length, {
      includeCompletionsWithInsertText: false,
    })
    if (found === undefined) return null
    const from = offset - /[\w$]*$/.exec(code.slice(Math.max(0, offset - 200), offset))![0].length
    const names = found.entries.filter(isWanted).slice(0, mostNames).map(suggestionOf)
    return { from, names }
  }

  /** The type and the documentation of a name that can stand at an offset. */
  describe(code: string, offset: number, name: string): Described | null {
    this.#use(code)
    const at = offset + head.length
    const details = this.#service.getCompletionEntryDetails(strategy, at, name, {}, undefined, {}, undefined)
    return details === undefined ? null : described(details)
  }

  /** What the code at an offset is. */
  explain(code: string, offset: number): Meaning | null {
    this.#use(code)
    const info = this.#service.getQuickInfoAtPosition(strategy, offset + head.length)
    if (info === undefined) return null
    const from = info.textSpan.start - head.length
    return { from, to: from + info.textSpan.length, ...described(info) }
  }

  /** What the types say is wrong. Syntax errors are left out: the service words those. */
  check(code: string): Mark[] {
    this.#use(code)
    if (this.#service.getSyntacticDiagnostics(strategy).length > 0) return []
    return this.#service
      .getSemanticDiagnostics(strategy)
      .map(({ start = 0, length = 0, messageText }) => ({
        from: start - head.length,
        to: start + length - head.length,
        severity: 'warning' as const,
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      }))
      .filter(({ from, to }) => from >= 0 && to <= code.length)
  }

  #use(code: string): void {
    if (code === this.#code) return
    this.#code = code
    this.#version += 1
  }

  #textOf(file: string): string | undefined {
    return file === strategy ? `${head}${this.#code}${foot}` : this.#files[file]
  }

  #host(libraries: readonly string[]): ts.LanguageServiceHost {
    return {
      // The same as `tsconfig.strategy.json` of the types of `$`.
      getCompilationSettings: () => ({
        allowJs: true,
        checkJs: true,
        noEmit: true,
        strict: false,
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        moduleDetection: ts.ModuleDetectionKind.Force,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
        lib: [...libraries],
      }),
      getScriptFileNames: () => ['/runtime-types/es2025.d.ts', strategy],
      getScriptVersion: (file) => (file === strategy ? String(this.#version) : '0'),
      getScriptSnapshot: (file) => {
        const text = this.#textOf(file)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib/lib.es5.d.ts',
      fileExists: (file) => this.#textOf(file) !== undefined,
      readFile: (file) => this.#textOf(file),
      resolveModuleNameLiterals: (literals, importer) =>
        literals.map(({ text }) => ({ resolvedModule: this.#resolve(text, importer) })),
    }
  }

  #resolve(specifier: string, importer: string): ts.ResolvedModuleFull | undefined {
    const path = specifier.startsWith('.')
      ? new URL(specifier, `file://${importer}`).pathname.replace(/\.js$/, '.d.ts')
      : modules[specifier]
    if (path === undefined || this.#files[path] === undefined) return undefined
    const extension = path.endsWith('.d.ts') ? ts.Extension.Dts : ts.Extension.Ts
    return { resolvedFileName: path, extension, isExternalLibraryImport: false }
  }
}

const kinds: Record<string, Suggestion['kind']> = {
  [ts.ScriptElementKind.memberFunctionElement]: 'function',
  [ts.ScriptElementKind.functionElement]: 'function',
  [ts.ScriptElementKind.localFunctionElement]: 'function',
  [ts.ScriptElementKind.keyword]: 'keyword',
  [ts.ScriptElementKind.classElement]: 'class',
  [ts.ScriptElementKind.memberVariableElement]: 'property',
  [ts.ScriptElementKind.memberGetAccessorElement]: 'property',
}

function suggestionOf({ name, kind }: ts.CompletionEntry): Suggestion {
  return { name, kind: kinds[kind] ?? 'variable' }
}

/** Words that stand in the text but that no type knows would be guesses, and the function around the code is no name. */
function isWanted({ name, kind }: ts.CompletionEntry): boolean {
  return kind !== ts.ScriptElementKind.warning && name !== 'strategy' && /^[\p{ID_Continue}$]+$/u.test(name)
}

function described({
  displayParts,
  documentation,
  tags,
}: Pick<ts.QuickInfo, 'displayParts' | 'documentation' | 'tags'>): Described {
  const lines = (tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)
  return {
    type: ts.displayPartsToString(displayParts),
    about: [ts.displayPartsToString(documentation), ...lines].filter(Boolean).join('\n'),
  }
}
