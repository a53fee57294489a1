/**
 * The SQLite of Node. Node 24 warns as soon as it loads: "SQLite is an experimental feature". Those who start the service
 * can do nothing about it, so that warning is left out. Nothing else can warn meanwhile, because loading does not wait.
 */
export function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...about: never[]) => {
    if (!`${warning}`.startsWith('SQLite is an experimental feature')) emitWarning(warning, ...about)
  }
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
