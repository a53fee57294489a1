/**
 * Puts the API client library into the snapshot of an isolate.
 *
 * @param {() => { exports: { createApiClient: Function }, all: unknown[] }} load the library
 * @param {(declared: unknown[]) => void} freezeLibrary
 */
;(function install(load, freezeLibrary) {
  const { exports, all } = load()
  freezeLibrary([exports, ...all])
  globalThis.ApiClient = exports
})
