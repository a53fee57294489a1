await $.Storage.set('x'.repeat(50_000_000))
