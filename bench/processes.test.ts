import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cpuSeconds, machineCpuSeconds, memoryBytes, parentInProgram, residentBytes } from './processes.ts'

const skip = existsSync('/proc/self/stat') ? false : 'needs /proc'

test('the CPU time of a process includes that of its children', { skip }, async () => {
  const work =
    'const end = Date.now() + 10_000; while (process.cpuUsage().user < 150_000 && Date.now() < end);'
  const report = "process.stdout.write('done'); setInterval(() => {}, 1000)"
  const parent = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${work}${report}`)}], { stdio: 'inherit' })`
  const child = spawn(process.execPath, ['-e', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  try {
    for await (const chunk of child.stdout) if (String(chunk).includes('done')) break
    assert.ok(cpuSeconds([child.pid!])! >= 0.13)
  } finally {
    // Until it has ended, it counts as a child of this process.
    const ended = once(child, 'exit')
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
})

test('a process that does not exist has used nothing', { skip }, () => {
  assert.equal(cpuSeconds([2 ** 30]), 0)
})

test('memory is that of the process', { skip }, () => {
  // The process may release memory between two readings, but not every time.
  const ratios = Array.from({ length: 20 }, () => residentBytes([process.pid])! / process.memoryUsage.rss())
  assert.ok(
    ratios.some((ratio) => ratio > 0.8 && ratio < 1.2),
    ratios.join(' '),
  )
})

test('memory that processes share counts once', { skip }, async () => {
  const children = [1, 2].map(() =>
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)']),
  )
  const ended = Promise.all(children.map((child) => once(child, 'exit')))
  try {
    await Promise.all(children.map((child) => once(child.stdout, 'data')))
    const pids = children.map(({ pid }) => pid!)
    // Their code alone takes tens of megabytes, which they share.
    const ratio = memoryBytes(pids)! / residentBytes(pids)!
    assert.ok(ratio > 0.1 && ratio < 0.9, `${ratio}`)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await ended
  }
})

test('the memory of a process that does not exist is none', { skip }, () => {
  assert.equal(memoryBytes([2 ** 30]), 0)
})

test('a parent is found only if it runs the same program', { skip }, async () => {
  const same = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)'])
  const other = spawn('/bin/sh', ['-c', 'echo 1; read -r line'])
  const children = [same, other]
  const ended = Promise.all(children.map((child) => once(child, 'exit')))
  try {
    await Promise.all(children.map((child) => once(child.stdout, 'data')))
    const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    assert.equal(parentInProgram(same.pid!, nameOf(process.pid)), process.pid)
    assert.equal(parentInProgram(other.pid!, nameOf(process.pid)), undefined)
    assert.equal(parentInProgram(other.pid!, nameOf(other.pid!)), undefined)
    assert.equal(parentInProgram(2 ** 30, nameOf(process.pid)), undefined)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await ended
  }
})

test('the machine has used at least what this process uses', { skip }, () => {
  const before = machineCpuSeconds()!
  const cpuBefore = process.cpuUsage()
  while (process.cpuUsage(cpuBefore).user < 100_000);
  assert.ok(machineCpuSeconds()! - before >= 0.08)
})
