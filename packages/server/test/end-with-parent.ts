/**
 * Preloaded into service processes: ends their whole group when standard input closes. The system closes it when the
 * test process is killed.
 */
process.stdin
  .on('end', () => process.kill(-process.pid, 'SIGKILL'))
  .resume()
  // A drained service ends by itself.
  .unref()
