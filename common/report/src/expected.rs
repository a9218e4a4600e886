//! The right values of the figures that answers are compared with.

use std::collections::BTreeMap;

use figures::quantity::Kind;
use figures::value::Reading;
use records::record::Record;
use serde_json::{Map, Value, json};

use crate::checked::{Check, Slip, hint};
use crate::contents::Report;
use crate::figure::{Figure, MatrixProgram, OfGain};
use crate::product::{Gain, Product};

/// The checks of the figures that are known. One without a check cannot be shown by the records: their times
/// are modelled ones of the memory alone.
pub type Expected = BTreeMap<Figure, Option<Check>>;

/// What the records of the products show; a figure that was not measured is missing.
pub fn expected<'r>(record: impl Fn(MatrixProgram) -> Option<&'r Record>) -> Expected {
    let product =
        |program: &MatrixProgram| Some((*program, Product::of(program.program(), record(*program)?)));
    let products: Vec<_> = MatrixProgram::ALL.iter().filter_map(product).collect();
    of_products(&Vec::from_iter(products.iter().map(|(program, product)| (*program, product))))
}

pub(crate) fn of_products(products: &[(MatrixProgram, &Product)]) -> Expected {
    let percent = |rate: &Reading| rate.amount().map(|rate| 100.0 * rate);
    let mut all = Expected::new();
    for (at, (program, product)) in products.iter().enumerate() {
        if let Some(rate) = percent(&product.hit_rate) {
            let check = Check::hit_rate(rate).or(percent(&product.of_loads), Slip::LoadsOnly);
            all.insert(Figure::HitRate(*program), Some(check));
        }
        if let Some(size) = product.size {
            let bytes = 2.0 * (size as f64).powi(2);
            all.insert(Figure::MatrixBytes, Some(Check::of(Kind::Bytes, bytes, 0.0)));
        }
        for (older, old) in &products[..at] {
            let figure = |what| Figure::Gain(*program, *older, what);
            if let Some((new, old)) = percent(&product.hit_rate).zip(percent(&old.hit_rate)) {
                all.insert(figure(OfGain::HitRate), Some(Check::difference(new, old)));
            }
            let gain = Gain::of(product, old);
            let is_modelled = product.is_modelled() || old.is_modelled();
            for (what, gain) in [(OfGain::Clocks, gain.clocks), (OfGain::Time, gain.time)] {
                let check = gain.amount().filter(|_| !is_modelled).map(Check::gain);
                if is_modelled || check.is_some() {
                    all.insert(figure(what), check);
                }
            }
        }
    }
    all
}

/// The checks of the fields whose figures this run has, by their ids, each with a `hint`, and what is said
/// of one that is `rounded` too far.
pub(crate) fn checks(contents: &Report<'_>) -> Map<String, Value> {
    let programs = MatrixProgram::ALL.iter().copied();
    let figures = of_products(&Vec::from_iter(programs.zip(&contents.products)));
    let fields = contents.assignment.fields().into_iter();
    let known = fields.filter_map(|field| Some((field.id, figures.get(&field.expect?)?.as_ref()?)));
    let on_page = |(id, check): (String, &Check)| {
        let mut value = json!(check);
        value["hint"] = hint(check.kind).into();
        value["rounded"] = json!(Slip::Rounded);
        (id, value)
    };
    known.map(on_page).collect()
}
