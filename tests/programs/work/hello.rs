// SPDX-License-Identifier: BSD-2-Clause
use std::collections::BTreeMap;
use std::panic;
use std::sync::mpsc;
use std::thread;

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let (tx, rx) = mpsc::channel();
    let ts: Vec<_> = (0..6u64)
        .map(|i| {
            let tx = tx.clone();
            thread::spawn(move || {
                tx.send((0..1000u64).map(|k| k % (i + 1)).sum::<u64>()).unwrap();
                assert!(i != 3, "three");
            })
        })
        .collect();
    drop(tx);
    let failed = ts.into_iter().map(|t| t.join()).filter(|r| r.is_err()).count();
    let mut m = BTreeMap::new();
    for n in rx {
        *m.entry(n).or_insert(0) += 1;
    }
    println!("{:?} {}", m, failed);
    std::process::exit(6);
}
