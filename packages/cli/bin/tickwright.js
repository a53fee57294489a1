#!/usr/bin/env node
// JavaScript, so that it runs on any Node, and says which one is needed. The rest is TypeScript, whose types Node
// strips. That takes longer than most commands, so the result is kept for the next one.
import { mkdirSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const least = 24
if (Number(process.versions.node.split('.')[0]) < least) {
  process.stderr.write(`tickwright needs Node ${least} or later. This is Node ${process.versions.node}.\n`)
  process.exit(1)
}

/** A folder that belongs to the user: code that others could write would run as the user. */
function cacheFolder() {
  const { LOCALAPPDATA, XDG_CACHE_HOME = '' } = process.env
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'tickwright', 'cache')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'tickwright')
  return join(XDG_CACHE_HOME.startsWith('/') ? XDG_CACHE_HOME : join(homedir(), '.cache'), 'tickwright')
}

try {
  mkdirSync(cacheFolder(), { recursive: true, mode: 0o700 })
  module.enableCompileCache(cacheFolder())
} catch {
  // Without it, commands take longer.
}

await import('../src/main.ts')
