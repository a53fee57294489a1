/**
 * Leaves a host call unanswered with a continuation that would write into the next run's log.
 *
 * Holds: an isolate with a pending call is thrown away; replies carry their run's number.
 *
 * @ends completed
 * @log ended
 */
$.Strategy.stop(true).then(() => $.log('ESCAPED'))
$.log('ended')
